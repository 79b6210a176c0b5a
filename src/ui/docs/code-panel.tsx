import type { ReactNode } from 'react';
import { CopyButton } from '../copy-button.tsx';

/** A block of code. It is focusable, so that the keyboard can scroll it sideways. */
export function CodePanel(props: {
  title: string;
  code: string;
  kind: keyof typeof colours;
  copy?: boolean;
}) {
  return (
    <figure className="overflow-hidden rounded-2xl border border-line bg-surface shadow-card">
      <figcaption className="flex min-h-11 items-center justify-between gap-3 border-line border-b bg-sunken px-4 font-medium text-ink-soft text-xs">
        {props.title}
        {props.copy && <CopyButton text={props.code} label={`Copy: ${props.title}`} />}
      </figcaption>
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable without a mouse
        tabIndex={0}
        aria-label={props.title}
        className="max-h-112 overflow-auto -outline-offset-2"
      >
        <pre className="w-max min-w-full p-4 font-mono text-xs leading-5.5">
          <code>{colours[props.kind](props.code)}</code>
        </pre>
      </section>
    </figure>
  );
}

const jsonParts = /("(?:[^"\\]|\\.)*"(?=\s*:))|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?|true|false|null)/g;

function colourJson(code: string): ReactNode[] {
  return coloured(code, jsonParts, ['text-ink', 'text-ok', 'text-accent-ink']);
}

const shellParts = /(po_YOUR_API_KEY|PAYMENT_ID|OPERATION_ID)|(^curl|\s-[Hd](?=\s))/gm;

/** Placeholders that the reader replaces are highlighted. */
function colourShell(code: string): ReactNode[] {
  return coloured(code, shellParts, ['rounded-sm bg-warn-soft px-0.5 text-warn', 'text-accent-ink']);
}

const scriptParts = /(\/\/.*$)|('[^'\n]*')|\b(import|from|const|let|new|async|await|try|catch|return|if)\b/gm;

function colourScript(code: string): ReactNode[] {
  return coloured(code, scriptParts, ['text-ink-faint', 'text-ok', 'text-accent-ink']);
}

const colours = { json: colourJson, shell: colourShell, script: colourScript } as const;

function coloured(code: string, parts: RegExp, classNames: readonly string[]): ReactNode[] {
  const nodes: ReactNode[] = [];
  let end = 0;
  for (const match of code.matchAll(parts)) {
    const group = match.slice(1).findIndex((text) => text !== undefined);
    nodes.push(
      code.slice(end, match.index),
      <span key={match.index} className={classNames[group]}>
        {match[0]}
      </span>,
    );
    end = match.index + match[0].length;
  }
  return [...nodes, code.slice(end)];
}
