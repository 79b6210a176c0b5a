import { ChevronDown } from 'lucide-react';

export interface DocsSection {
  readonly id: string;
  readonly name: string;
  readonly method?: string | undefined;
}

/** Beside the text on wide screens, collapsed above it on a phone. */
export function DocsNav({ sections }: { sections: readonly DocsSection[] }) {
  return (
    <>
      <details className="group mb-8 rounded-xl border border-line bg-surface lg:hidden">
        <summary className="flex min-h-12 items-center justify-between rounded-xl px-4 font-medium text-sm">
          On this page
          <ChevronDown className="size-4 text-ink-faint group-open:rotate-180" aria-hidden="true" />
        </summary>
        <nav aria-label="On this page" className="border-line border-t px-1 py-1.5">
          <SectionLinks sections={sections} />
        </nav>
      </details>
      <nav aria-label="On this page" className="sticky top-6 -ml-3 hidden self-start lg:block">
        <SectionLinks sections={sections} />
      </nav>
    </>
  );
}

function SectionLinks({ sections }: { sections: readonly DocsSection[] }) {
  return (
    <ul>
      {sections.map(({ id, name, method }) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className="flex min-h-11 items-center justify-between gap-2 rounded-lg px-3 py-1 text-ink-soft text-sm leading-5 hover:bg-sunken hover:text-ink pointer-fine:min-h-9"
          >
            {name}
            {method && <span className="font-mono text-[0.6875rem] text-ink-faint">{method}</span>}
          </a>
        </li>
      ))}
    </ul>
  );
}
