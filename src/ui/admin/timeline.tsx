import { ArrowRightLeft } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { formatDuration } from '../format-duration.ts';
import { Evidence } from './evidence.tsx';
import { type OperationStatus, StatusBadge } from './status-badge.tsx';
import { actorCopy, callCopy, responseCopy, stepCopy } from './timeline-copy.ts';
import { When } from './when.tsx';

export type TimelineEvent = RouterOutputs['operation']['get']['events'][number];

/** A call to the provider, between two commits. */
export type TimelineCall = RouterOutputs['operation']['get']['calls'][number];

type Step = { readonly at: string } & (
  | { readonly kind: 'event'; readonly event: TimelineEvent }
  | { readonly kind: 'call'; readonly call: TimelineCall }
);

/** Every commit and every call, in the order in which they began, by the database's clock. */
export function Timeline(props: {
  /** The kind of operation: a refund's steps have other texts than a payment's. */
  operation: string;
  events: readonly TimelineEvent[];
  calls: readonly TimelineCall[];
}) {
  const { operation } = props;
  const steps: Step[] = [
    ...props.events.map((event) => ({ kind: 'event' as const, at: event.at, event })),
    ...props.calls.map((call) => ({ kind: 'call' as const, at: call.at, call })),
  ].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  return (
    <ol className="relative grid gap-0 rounded-2xl border border-line bg-surface px-5 shadow-card sm:px-7">
      {steps.map((step, index) => {
        const previous = steps[index - 1];
        const sinceMs = previous ? Date.parse(step.at) - Date.parse(previous.at) : undefined;
        return (
          <li
            key={step.kind === 'event' ? `event-${step.event.id}` : `call-${step.call.id}`}
            className="grid gap-x-8 gap-y-2 border-line border-b py-4 last:border-b-0 md:grid-cols-[13rem_minmax(0,1fr)]"
          >
            <div className="text-sm">
              <p className="tabular-nums">
                <When at={step.at} precise />
              </p>
              <p className="mt-0.5 text-ink-faint tabular-nums">
                {sinceMs === undefined ? 'Start' : `${formatDuration(sinceMs)} later`}
              </p>
            </div>
            {step.kind === 'event' ? (
              <Transition event={step.event} operation={operation} />
            ) : (
              <Call call={step.call} operation={operation} />
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Transition({ event, operation }: { event: TimelineEvent; operation: string }) {
  return (
    <div className="min-w-0 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <StatusChange from={event.from} to={event.to} operation={operation} />
        <span className="font-medium">{stepCopy(event, operation)}</span>
      </p>
      <p className="mt-1.5 break-words text-ink-soft">
        by {actorCopy(event.actor, operation)} · attempt {event.attempt} · at{' '}
        <span className="font-mono text-xs">{event.recoveryPoint}</span>
      </p>
      <Evidence value={event.evidence} />
    </div>
  );
}

function Call({ call, operation }: { call: TimelineCall; operation: string }) {
  const responded = call.outcome === 'responded';
  return (
    <div className="min-w-0 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <ArrowRightLeft
          className={`size-4 shrink-0 ${responded ? 'text-ink-faint' : 'text-unknown'}`}
          aria-hidden="true"
        />
        <span>{callCopy(call.call)}</span>
        <span className={responded ? 'text-ink-soft' : 'font-medium text-unknown'}>
          {responseCopy(call, operation)} after {formatDuration(call.durationMs)}
        </span>
      </p>
      {call.requestId && (
        <p className="mt-1 text-ink-faint text-xs">
          Request id at the provider: <span className="break-all font-mono">{call.requestId}</span>
        </p>
      )}
    </div>
  );
}

/** A step within one status shows its badge once, so that it does not look like a transition. */
function StatusChange(props: { from: OperationStatus | null; to: OperationStatus; operation: string }) {
  const { from, to, operation } = props;
  if (from === null || from === to) return <StatusBadge status={to} operation={operation} />;
  return (
    <>
      <StatusBadge status={from} operation={operation} />
      <span className="text-ink-faint">
        <span aria-hidden="true">→</span>
        <span className="sr-only">to</span>
      </span>
      <StatusBadge status={to} operation={operation} />
    </>
  );
}
