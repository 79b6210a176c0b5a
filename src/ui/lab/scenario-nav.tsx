import { ChevronDown } from 'lucide-react';
import Link from 'next/link';
import type { LabScenario } from './lab-copy.ts';

/** All scenarios, by what fails. On a narrow screen they are behind a line that opens. */
export function ScenarioNav({
  scenarios,
  current,
}: {
  scenarios: readonly LabScenario[];
  current: string | null;
}) {
  const groups = Map.groupBy(scenarios, ({ group }) => group);
  const list = (
    <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-1">
      {[...groups].map(([group, members]) => (
        <div key={group}>
          <p className="mb-1 px-3 font-medium text-ink-faint text-xs">{group}</p>
          <ul>
            {members.map(({ name, title }) => (
              <li key={name}>
                <Link
                  href={`/lab/${name}`}
                  prefetch={false}
                  aria-current={name === current ? 'page' : undefined}
                  className="flex min-h-11 items-center rounded-lg px-3 text-ink-soft text-sm hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-ink lg:min-h-8 lg:py-1"
                >
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
      <Link
        href="/lab/x-ray"
        prefetch={false}
        aria-current={current === null ? 'page' : undefined}
        className="flex min-h-11 items-center rounded-lg px-3 font-medium text-sm hover:bg-sunken aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-ink"
      >
        Key X-ray
      </Link>
    </div>
  );
  return (
    <nav aria-label="Scenarios">
      <details className="rounded-2xl border border-line bg-surface lg:hidden [&[open]_svg]:rotate-180">
        <summary className="flex min-h-12 items-center justify-between px-4 font-medium">
          {scenarios.length} ways to fail
          <ChevronDown className="size-5 text-ink-soft transition" aria-hidden="true" />
        </summary>
        <div className="border-line border-t p-3">{list}</div>
      </details>
      <div className="hidden lg:block">{list}</div>
    </nav>
  );
}
