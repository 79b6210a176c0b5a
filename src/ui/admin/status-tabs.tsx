import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Link } from './link.tsx';
import { type OperationStatus, statusStyles } from './status-badge.tsx';

const order = ['unknown', 'in_progress', 'completed', 'failed_retryable', 'expired'] as const;

export function StatusTabs(props: {
  counts: RouterOutputs['operations']['counts'];
  current: OperationStatus | 'all';
  hrefs: Readonly<Record<OperationStatus | 'all', string>>;
}) {
  const tabs = [
    ['all', 'All', undefined] as const,
    ...order.map((status) => [status, statusStyles[status].label, props.counts[status]] as const),
  ];
  return (
    <nav
      aria-label="Operations by status"
      className="-mx-5 overflow-x-auto border-line border-b px-5 sm:mx-0 sm:px-0"
    >
      <ul className="flex gap-1">
        {tabs.map(([status, label, count]) => (
          <li key={status}>
            <Link
              href={props.hrefs[status]}
              aria-current={status === props.current ? 'page' : undefined}
              className="-mb-px inline-flex min-h-11 items-center gap-2 whitespace-nowrap border-transparent border-b-2 px-3 font-medium text-ink-soft text-sm -outline-offset-3 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
            >
              {label}
              {count && (
                <span
                  className={`money rounded-md px-1.5 py-0.5 text-xs ${status === 'unknown' && count.count > 0 ? 'bg-unknown-soft text-unknown' : 'bg-sunken text-ink-soft'}`}
                >
                  {count.count.toLocaleString('en-US')}
                  {count.capped && '+'}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
