import Link from 'next/link';
import { StatusChip } from './response-list.tsx';

export interface ProblemEntry {
  readonly code: string;
  readonly http: number;
  readonly title: string;
}

/** Grouped by status, because a client sees that first. */
export function ProblemIndex({ problems }: { problems: readonly ProblemEntry[] }) {
  const statuses = [...new Set(problems.map(({ http }) => http))].toSorted((a, b) => a - b);
  return (
    <dl className="mt-5">
      {statuses.map((status) => (
        <div
          key={status}
          id={`problem-${status}`}
          className="grid scroll-mt-6 grid-cols-[3.25rem_1fr] gap-x-3 border-line border-b py-3 target:bg-accent-soft last:border-b-0"
        >
          <dt className="pt-1">
            <StatusChip status={String(status)} />
          </dt>
          <dd>
            <ul>
              {problems
                .filter(({ http }) => http === status)
                .map(({ code, title }) => (
                  <li key={code}>
                    <Link
                      href={`/problems/${code}`}
                      className="group inline-flex min-h-11 flex-col justify-center gap-x-3 py-1 text-sm sm:flex-row sm:items-center sm:justify-start pointer-fine:min-h-8"
                    >
                      <span className="underline decoration-line-strong underline-offset-4 group-hover:decoration-accent">
                        {title}
                      </span>
                      <span className="break-all font-mono text-ink-faint text-xs">{code}</span>
                    </Link>
                  </li>
                ))}
            </ul>
          </dd>
        </div>
      ))}
    </dl>
  );
}
