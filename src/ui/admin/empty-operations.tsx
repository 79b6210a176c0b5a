import { CircleCheck, SearchX } from 'lucide-react';
import { Link } from './link.tsx';
import type { OperationStatus } from './status-badge.tsx';

const noneOf: Record<OperationStatus | 'all', string> = {
  all: 'No payment has been made in this shop yet.',
  unknown: 'Every payment has a definitive outcome. Pay with a card from “Break something” to see one here.',
  in_progress: 'No operation is in progress at the moment.',
  completed: 'No operation has been completed yet.',
  failed_retryable: 'No operation has ended without a charge.',
  expired: 'No operation has expired yet.',
};

/** Says whether there are no such operations, or whether a filter is too narrow. */
export function EmptyOperations(props: {
  status: OperationStatus | 'all';
  /** By more than the status. */
  filtered: boolean;
  scanned?: number | undefined;
}) {
  const allResolved = props.status === 'unknown' && !props.filtered;
  const Icon = allResolved ? CircleCheck : SearchX;
  return (
    <div className="rounded-2xl border border-line border-dashed px-6 py-16 text-center">
      <Icon
        className={`mx-auto mb-3 size-8 ${allResolved ? 'text-ok' : 'text-ink-faint'}`}
        aria-hidden="true"
      />
      <p className="font-medium">
        {allResolved ? 'Nothing is unknown' : props.filtered ? 'Nothing matches' : 'Nothing here'}
      </p>
      <p className="mx-auto mt-1 max-w-[44ch] text-ink-soft text-sm leading-6">{explanation(props)}</p>
      {props.filtered && (
        <Link
          href="/admin/operations"
          className="mt-4 inline-flex min-h-11 items-center font-medium text-sm underline decoration-line-strong underline-offset-4 hover:decoration-accent"
        >
          Show all operations
        </Link>
      )}
    </div>
  );
}

function explanation({ status, filtered, scanned }: Parameters<typeof EmptyOperations>[0]): string {
  if (scanned)
    return `No match among the ${scanned.toLocaleString('en-US')} operations searched. There may be more.`;
  if (filtered) return 'No operation of this shop matches these filters.';
  return noneOf[status];
}
