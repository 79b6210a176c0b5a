import { CircleCheck } from 'lucide-react';
import { type OperationStatus, statusLooks } from './status-badge.tsx';

export function EmptyOperations({ status }: { status: OperationStatus | 'all' }) {
  const calm = status === 'unknown';
  return (
    <div className="mt-6 rounded-2xl border border-line border-dashed px-6 py-16 text-center">
      {calm && <CircleCheck className="mx-auto mb-3 size-8 text-ok" aria-hidden="true" />}
      <p className="font-medium">{calm ? 'Nothing is unknown' : 'Nothing here'}</p>
      <p className="mx-auto mt-1 max-w-[44ch] text-ink-soft text-sm leading-6">
        {calm
          ? 'Every payment has a definitive outcome. Pay with a card from “Break something” to see one here.'
          : status === 'all'
            ? 'No payment has been made in this shop yet.'
            : `No operation is ${statusLooks[status].word.toLowerCase()} at the moment.`}
      </p>
    </div>
  );
}
