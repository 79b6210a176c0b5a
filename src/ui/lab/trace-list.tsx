import { actorNames, type LabEvent } from './lab-copy.ts';

/** The diagram as text. */
export function TraceList({ events, label }: { events: readonly LabEvent[]; label: string }) {
  return (
    <ol aria-label={label} className="text-sm">
      {events.map((event, index) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end
          key={index}
          className="grid grid-cols-[4rem_1fr] gap-x-3 border-line border-b py-2 last:border-b-0"
        >
          <span className="text-ink-faint tabular-nums">{formatMs(event.atMs)}</span>
          <span>
            <span className="text-ink-soft">
              {event.from === event.to
                ? `${actorNames[event.from]}: `
                : `${actorNames[event.from]} → ${actorNames[event.to]}: `}
            </span>
            {event.text}
            {event.times > 1 && ` (${event.times} times)`}
            {event.record && (
              <span className="text-ink-soft">
                {' '}
                — key {event.record.key} is {event.record.status.replaceAll('_', ' ')} at{' '}
                {event.record.recoveryPoint}, attempt {event.record.attempt}
              </span>
            )}
          </span>
        </li>
      ))}
    </ol>
  );
}

function formatMs(ms: number): string {
  return ms < 10_000 ? `${Math.max(0, Math.round(ms))} ms` : `${(ms / 1000).toFixed(1)} s`;
}
