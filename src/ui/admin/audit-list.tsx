import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { actionCopy } from './action-copy.ts';
import { When } from './when.tsx';

type AuditEntry = RouterOutputs['operation']['get']['audit'][number];

/** Newest first. */
export function AuditList({ entries, empty }: { entries: readonly AuditEntry[]; empty: string }) {
  if (entries.length === 0) return <p className="text-ink-soft">{empty}</p>;
  return (
    <ol className="grid gap-3">
      {entries.map((entry) => (
        <li key={entry.id}>
          <p>
            <span className="font-medium">{actionCopy(entry.action)}</span>
            <span className="text-ink-soft"> by {entry.person}</span>
          </p>
          {entry.reason && <p className="wrap-anywhere mt-0.5 text-ink-soft">“{entry.reason}”</p>}
          <p className="mt-0.5 text-ink-faint">
            <When at={entry.at} precise />
          </p>
        </li>
      ))}
    </ol>
  );
}
