import { Clock, UserRound } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Countdown } from './countdown.tsx';
import { When } from './when.tsx';

/** When the next automatic check is, how many are left, and what happens after the last. */
export function NextCheck(props: RouterOutputs['operation']['get']['nextCheck']) {
  if (props.escalatedAt) {
    return (
      <p className="mt-5 flex gap-3 rounded-xl bg-unknown-soft px-4 py-3.5 text-sm leading-5.5 text-unknown">
        <UserRound className="size-5 shrink-0" aria-hidden="true" />
        <span>
          All {props.of} automatic checks have been used up since <When at={props.escalatedAt} />: a person
          has to check it. A webhook from the provider can still resolve it.
        </span>
      </p>
    );
  }
  return (
    <p className="mt-5 flex gap-3 rounded-xl bg-sunken px-4 py-3.5 text-ink-soft text-sm leading-5.5">
      <Clock className="size-5 shrink-0" aria-hidden="true" />
      <span>
        {props.inMs === null ? (
          'No automatic check is planned.'
        ) : (
          <>
            Next automatic check <Countdown inMs={props.inMs} />.
          </>
        )}{' '}
        {props.checks} of {props.of} checks made. After the last one it goes to the operators’ queue, with an
        alert. It is never marked as failed automatically.
      </span>
    </p>
  );
}
