import Link from 'next/link';
import { type OperationStatus, statusLooks } from './status-badge.tsx';

const order = ['unknown', 'in_progress', 'completed', 'failed_retryable', 'expired'] as const;

export function StatusTabs(props: {
  counts: Partial<Record<OperationStatus, number>>;
  current: OperationStatus | 'all';
}) {
  const all = order.reduce((sum, status) => sum + (props.counts[status] ?? 0), 0);
  const tabs = [
    ...order.map((status) => [status, statusLooks[status].word, props.counts[status] ?? 0] as const),
    ['all', 'All', all] as const,
  ];
  return (
    <nav
      aria-label="Operations by status"
      className="-mx-5 overflow-x-auto border-line border-b px-5 sm:mx-0 sm:px-0"
    >
      <ul className="flex gap-1">
        {tabs.map(([status, word, count]) => (
          <li key={status}>
            <Link
              href={`/admin/operations?status=${status}`}
              aria-current={status === props.current ? 'page' : undefined}
              className="-mb-px inline-flex min-h-11 items-center gap-2 whitespace-nowrap border-transparent border-b-2 px-3 font-medium text-ink-soft text-sm -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {word}
              <span className="money rounded-md bg-sunken px-1.5 py-0.5 text-ink-soft text-xs">{count}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
