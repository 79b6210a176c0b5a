import { Moment } from '../moment.tsx';
import { spanWords } from './age.tsx';
import { codeWords } from './code-words.ts';
import { Evidence } from './evidence.tsx';
import { type OperationStatus, StatusBadge } from './status-badge.tsx';

export interface TimelineEvent {
  readonly id: string;
  readonly from: OperationStatus | null;
  readonly to: OperationStatus;
  readonly recoveryPoint: string;
  readonly attempt: number;
  readonly actor: string;
  readonly cause: string;
  readonly evidence: unknown;
  readonly at: string;
}

export function Timeline({ events }: { events: readonly TimelineEvent[] }) {
  return (
    <ol className="relative grid gap-0 rounded-2xl border border-line bg-surface px-5 shadow-card sm:px-7">
      {events.map((event, index) => {
        const previous = events[index - 1];
        const sinceMs = previous ? Date.parse(event.at) - Date.parse(previous.at) : undefined;
        return (
          <li
            key={event.id}
            className="grid gap-x-8 gap-y-2 border-line border-b py-5 last:border-b-0 md:grid-cols-[15rem_1fr]"
          >
            <div className="text-sm">
              <p className="tabular-nums">
                <Moment at={event.at} precise />
              </p>
              <p className="mt-0.5 text-ink-faint tabular-nums">
                {sinceMs === undefined ? 'The beginning' : `${spanWords(sinceMs)} later`}
              </p>
            </div>
            <div className="min-w-0 text-sm">
              <p className="flex flex-wrap items-center gap-2">
                <Passage from={event.from} to={event.to} />
                <span className="font-medium">
                  {event.cause === 'phase' ? pointWords(event.recoveryPoint) : codeWords(event.cause)}
                </span>
              </p>
              <p className="mt-1.5 break-words text-ink-soft">
                by {actorWords(event.actor)} · attempt {event.attempt} · at{' '}
                <span className="font-mono text-xs">{event.recoveryPoint}</span>
              </p>
              <Evidence value={event.evidence} />
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** A step within a status is not a passage; showing the same badge twice would look like one. */
function Passage({ from, to }: { from: OperationStatus | null; to: OperationStatus }) {
  if (from === null || from === to) return <StatusBadge status={to} />;
  return (
    <>
      <StatusBadge status={from} />
      <span className="text-ink-faint">
        <span aria-hidden="true">→</span>
        <span className="sr-only">to</span>
      </span>
      <StatusBadge status={to} />
    </>
  );
}

const points = new Map([
  ['intent_created', 'Prepared at the provider; no money moved'],
  ['confirm_sent', 'About to charge'],
]);

function pointWords(point: string): string {
  return points.get(point) ?? `Reached ${point.replaceAll('_', ' ')}`;
}

const actors = new Map([
  ['request', 'the shopper’s request'],
  ['owner', 'the request that owned it'],
  ['worker', 'the worker'],
  ['sweeper', 'the sweeper'],
  ['return', 'the shopper’s return from the bank'],
]);

function actorWords(actor: string): string {
  if (actor.startsWith('webhook:')) return `the provider’s message ${actor.slice('webhook:'.length)}`;
  if (actor.startsWith('operator:')) return `operator ${actor.slice('operator:'.length, 17)}`;
  return actors.get(actor) ?? actor;
}
