import { Check, Clock, type LucideIcon, Minus, X } from 'lucide-react';
import { Badge } from '#ui/admin/badge.tsx';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { When } from '#ui/admin/when.tsx';
import { answerCopy, type Delivery, typeCopy } from './event-copy.ts';

const styles = {
  queued: { label: 'On its way', Icon: Clock, colour: 'bg-warn-soft text-warn' },
  delivered: { label: 'Delivered', Icon: Check, colour: 'bg-ok-soft text-ok' },
  failed: { label: 'Failed', Icon: X, colour: 'bg-danger-soft text-danger' },
  cancelled: { label: 'Not delivered', Icon: Minus, colour: 'bg-sunken text-ink-soft' },
} as const satisfies Record<Delivery['status'], { label: string; Icon: LucideIcon; colour: string }>;

/** How the last messages to an endpoint went, newest first. */
export function LastDeliveries({
  deliveries,
  waiting,
}: {
  deliveries: readonly Delivery[];
  waiting: number;
}) {
  return (
    <section className="mt-5 border-line border-t pt-4">
      <h3 className="font-medium text-sm">Last messages</h3>
      {deliveries.length === 0 ? (
        <p className="mt-1 text-ink-soft text-sm">None yet. The next payment or refund sends one.</p>
      ) : (
        <>
          <ul className="mt-2 grid gap-2.5">
            {deliveries.map((delivery) => (
              <Line key={delivery.id} delivery={delivery} />
            ))}
          </ul>
          <p className="mt-3 text-ink-faint text-xs">
            {waiting > 0 && `${waiting} waiting. `}
            <ConsoleLink href="/admin/outbox">All messages are in the outbox</ConsoleLink>
          </p>
        </>
      )}
    </section>
  );
}

function Line({ delivery }: { delivery: Delivery }) {
  const { status, lastError, nextAttemptAt } = delivery;
  const answer = answerCopy(delivery);
  return (
    <li className="grid gap-x-4 gap-y-1 text-sm sm:grid-cols-[8rem_1fr_auto]">
      <span>
        <Badge {...styles[status]} />
      </span>
      <span className="min-w-0">
        {typeCopy(delivery.type)}
        {answer && <span className="text-ink-soft"> · {answer}</span>}
        {delivery.attempts > 1 && <span className="text-ink-soft"> · {delivery.attempts} tries</span>}
        {lastError && status !== 'delivered' && (
          <span className="block break-words text-ink-soft text-xs">{lastError}</span>
        )}
        {nextAttemptAt && delivery.attempts > 0 && (
          <span className="block text-ink-faint text-xs">
            Next try <When at={nextAttemptAt} precise />
          </span>
        )}
      </span>
      <span className="text-ink-faint text-xs sm:text-right">
        <When at={delivery.lastAttemptAt ?? delivery.createdAt} precise />
      </span>
    </li>
  );
}
