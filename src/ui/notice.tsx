import { CircleCheck, CircleQuestionMark, CircleX, Clock, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Spinner } from './spinner.tsx';

export type Tone = 'plain' | 'busy' | 'ok' | 'warn' | 'unknown' | 'danger';

const styles: Record<Tone, string> = {
  plain: 'bg-sunken text-ink-soft',
  busy: 'bg-accent-soft text-accent-ink',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  unknown: 'bg-unknown-soft text-unknown',
  danger: 'bg-danger-soft text-danger',
};

/** The icon has the same meaning as the colour, for readers who do not see the colours. */
function Mark({ tone }: { tone: Tone }) {
  const size = 'size-5 shrink-0';
  switch (tone) {
    case 'plain':
      return <Info className={size} aria-hidden="true" />;
    case 'busy':
      return <Spinner className="size-5 p-0.5" />;
    case 'ok':
      return <CircleCheck className={size} aria-hidden="true" />;
    case 'warn':
      return <Clock className={size} aria-hidden="true" />;
    case 'unknown':
      return <CircleQuestionMark className={size} aria-hidden="true" />;
    case 'danger':
      return <CircleX className={size} aria-hidden="true" />;
  }
}

export function Notice(props: { tone: Tone; title: string; children?: ReactNode; className?: string }) {
  return (
    <div
      className={`flex gap-3 rounded-xl px-4 py-3.5 text-sm leading-5.5 forced-colors:border ${styles[props.tone]} ${props.className ?? ''}`}
    >
      <Mark tone={props.tone} />
      <div className="min-w-0 flex-1">
        <p className="font-medium">{props.title}</p>
        {props.children && <div className="mt-0.5 text-ink-soft">{props.children}</div>}
      </div>
    </div>
  );
}

export function InlineError({ children }: { children: ReactNode }) {
  return (
    <p role="alert" className="flex items-start gap-2 text-danger text-sm leading-5.5">
      <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
      <span>{children}</span>
    </p>
  );
}
