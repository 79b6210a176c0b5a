'use client';

import { CircleCheck, UserRound } from 'lucide-react';
import { Link } from '#ui/admin/link.tsx';
import { useAttention } from './use-attention.ts';

const parts = [
  ['queue', '/admin/queue', 'in the queue', 'in the queue'],
  ['exceptions', '/admin/exceptions?open=1', 'unexpected payment', 'unexpected payments'],
  ['approvals', '/admin/proposals', 'approval', 'approvals'],
] as const;

/** The first tile of the overview: everything that only a person can decide, in one number. It changes by itself. */
export function NeedsAPerson() {
  const attention = useAttention();
  const total = attention?.total ?? 0;
  const Icon = total > 0 ? UserRound : CircleCheck;
  return (
    <section
      aria-labelledby="needs-a-person"
      className={`mt-6 flex flex-wrap items-center gap-x-6 gap-y-3 rounded-2xl border px-5 py-4 shadow-card ${total > 0 ? 'border-unknown bg-unknown-soft' : 'border-line bg-surface'}`}
    >
      <h2 id="needs-a-person" className="flex items-center gap-3 font-medium text-sm">
        <Icon className={`size-5 shrink-0 ${total > 0 ? 'text-unknown' : 'text-ok'}`} aria-hidden="true" />
        Needs a person
      </h2>
      <p
        role="status"
        className={`money font-semibold text-3xl tracking-[-0.03em] ${total > 0 ? 'text-unknown' : ''}`}
      >
        {total}
      </p>
      {total === 0 ? (
        <p className="text-ink-soft text-sm">Nothing waits for a person.</p>
      ) : (
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-sm">
          {parts.map(([name, href, one, many]) => {
            const count = attention?.[name] ?? 0;
            if (count === 0) return null;
            return (
              <li key={name}>
                <Link
                  href={href}
                  className="inline-flex min-h-11 items-center underline decoration-line-strong underline-offset-4 hover:decoration-accent pointer-fine:min-h-8"
                >
                  {count} {count === 1 ? one : many}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
