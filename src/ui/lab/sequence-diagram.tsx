'use client';

import { useEffect, useRef } from 'react';
import { arrowAt, DiagramRow, rowHeight } from './diagram-row.tsx';
import { actorNames, type LabActor, type LabEvent, statusTone } from './lab-copy.ts';
import { useWidth } from './use-width.ts';

const actors = Object.keys(actorNames) as LabActor[];
const headHeight = 40;
const minHeight = 192;

const stateStrokes = {
  ok: 'stroke-ok',
  unknown: 'stroke-unknown',
  busy: 'stroke-accent',
  plain: 'stroke-line-strong',
};

interface RecordState {
  readonly key: string;
  readonly status: string;
  /** Rows; it lasts to the end if no other state follows. */
  readonly from: number;
  to?: number;
}

/** The states of each record, which colour the database's lifeline. */
function statesOf(events: readonly LabEvent[]): RecordState[] {
  const latest = new Map<string, RecordState>();
  return events.flatMap(({ record }, row) => {
    if (!record) return [];
    const state: RecordState = { key: record.key, status: record.status, from: row };
    const before = latest.get(record.key);
    if (before) before.to = row;
    latest.set(record.key, state);
    return [state];
  });
}

/**
 * What happened, from top to bottom. Screen readers get the same events as a list. `shown` is how many events the playback
 * has reached; the last of them is highlighted.
 */
export function SequenceDiagram(props: { label: string; events: readonly LabEvent[]; shown: number }) {
  const { events, shown } = props;
  const [frame, width] = useWidth<HTMLDivElement>(480);
  const scroller = useRef<HTMLDivElement>(null);
  const margin = 34;
  const gap = Math.max(0, (width - 2 * margin) / (actors.length - 1));
  const x = (actor: LabActor) => margin + actors.indexOf(actor) * gap;
  const height = Math.max(minHeight, shown * rowHeight + 12);

  useEffect(() => {
    const box = scroller.current;
    if (box) box.scrollTop = Math.max(0, shown * rowHeight - box.clientHeight + rowHeight);
  }, [shown]);

  return (
    <div ref={frame} className="select-none">
      <svg width={width} height={headHeight} className="block border-line border-b" aria-hidden="true">
        {actors.map((actor) => (
          <text key={actor} x={x(actor)} y={25} textAnchor="middle" className="fill-ink font-medium text-xs">
            {actorNames[actor]}
          </text>
        ))}
      </svg>
      <div
        ref={scroller}
        role="img"
        aria-label={`Sequence diagram: ${props.label}. The same follows as text.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable without a mouse
        tabIndex={0}
        className="max-h-[75dvh] overflow-y-auto overflow-x-hidden rounded-lg -outline-offset-2"
      >
        <svg width={width} height={height} className="block" aria-hidden="true">
          {actors.map((actor) => (
            <line
              key={actor}
              x1={x(actor)}
              x2={x(actor)}
              y1={0}
              y2={height}
              className="stroke-line"
              strokeWidth={1.5}
            />
          ))}
          {statesOf(events.slice(0, shown)).map(({ key, from, to, status }) => (
            <line
              key={`${key} ${from}`}
              x1={x('database') + (key === 'A' ? 0 : 5)}
              x2={x('database') + (key === 'A' ? 0 : 5)}
              y1={from * rowHeight + arrowAt}
              y2={to === undefined ? height : to * rowHeight + arrowAt}
              className={stateStrokes[statusTone(status)]}
              strokeWidth={4}
            />
          ))}
          {events.slice(0, shown).map((event, index) => (
            <DiagramRow
              // biome-ignore lint/suspicious/noArrayIndexKey: events are only ever added at the end
              key={index}
              event={event}
              x={x}
              y={index * rowHeight}
              width={width}
              current={index === shown - 1}
            />
          ))}
        </svg>
      </div>
    </div>
  );
}
