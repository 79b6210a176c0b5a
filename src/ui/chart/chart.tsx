'use client';

import { type PointerEvent, type ReactNode, useId, useState } from 'react';
import { useZone } from '../admin/zone.tsx';
import { formatDuration } from '../format-duration.ts';
import { ChartTable } from './chart-table.tsx';
import { Bars, Lines } from './marks.tsx';
import { countScale, durationScale, timeTicks } from './scale.ts';

export interface Series {
  readonly name: string;
  readonly tone: 'accent' | 'unknown' | 'ok' | 'warn' | 'danger' | 'quiet';
  /** One for each step; null if the step has none. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly series: readonly Series[];
  /** The start of each step. */
  readonly steps: readonly string[];
  readonly stepMs: number;
  /** Counts are stacked bars; durations are lines on a logarithmic scale. */
  readonly of: 'counts' | 'durations';
}

export const swatches: Record<Series['tone'], string> = {
  accent: 'bg-accent',
  unknown: 'bg-unknown',
  ok: 'bg-ok',
  warn: 'bg-warn',
  danger: 'bg-danger',
  quiet: 'bg-line-strong',
};

/**
 * A chart over time. It is rendered on the server, and again in the browser in the operator's time zone. Shapes are SVG,
 * which stretches with the page; texts are HTML, which does not. An invisible slider covers the chart: pointer and arrow
 * keys move it, and its value text has the values of the current step. A table below has the same numbers.
 */
export function Chart(props: ChartProps) {
  const { title, series, steps, stepMs } = props;
  const zone = useZone();
  const id = useId();
  const [at, setAt] = useState<number>();
  const from = Date.parse(steps[0] ?? '');
  const to = from + steps.length * stepMs;
  const formatValue =
    props.of === 'counts' ? (value: number) => value.toLocaleString('en-US') : formatDuration;
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  const empty = values.every((value) => value === 0);
  const scale =
    props.of === 'counts'
      ? countScale(
          Math.max(
            0,
            ...steps.map((_, step) => series.reduce((sum, one) => sum + (one.values[step] ?? 0), 0)),
          ),
        )
      : durationScale(Math.min(...values, 60_000), Math.max(...values, 1_000));

  function point(event: PointerEvent<HTMLDivElement>) {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    setAt(Math.min(steps.length - 1, Math.max(0, Math.floor(share * steps.length))));
  }

  return (
    <figure
      aria-labelledby={`${id}-title`}
      className="rounded-2xl border border-line bg-surface p-4 shadow-card sm:p-5"
    >
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h3 id={`${id}-title`} className="font-medium text-sm">
          {title}
        </h3>
        <ul className="flex flex-wrap gap-x-3 text-ink-soft text-xs">
          {series.map(({ name, tone }) => (
            <li key={name} className="flex items-center gap-1.5">
              <span aria-hidden="true" className={`size-2 rounded-full ${swatches[tone]}`} />
              {name}
            </li>
          ))}
        </ul>
        {props.children && <div className="w-full text-ink-faint text-xs">{props.children}</div>}
      </figcaption>
      {empty ? (
        <p className="mt-3 grid h-40 place-items-center rounded-xl border border-line border-dashed text-ink-soft text-sm">
          Nothing happened in this time.
        </p>
      ) : (
        <div className="mt-4 grid grid-cols-[auto_1fr] gap-x-2 text-[0.6875rem] text-ink-faint tabular-nums">
          <div aria-hidden="true" className="relative w-11">
            {scale.ticks.map((tick) => (
              <span
                key={tick.label}
                style={{ bottom: `${tick.at * 100}%` }}
                className="absolute right-0 translate-y-1/2 whitespace-nowrap"
              >
                {tick.label}
              </span>
            ))}
          </div>
          <div
            className="relative h-40 rounded-sm focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-4"
            onPointerMove={point}
            onPointerLeave={() => setAt(undefined)}
          >
            <svg
              aria-hidden="true"
              viewBox="0 0 100 100"
              preserveAspectRatio="none"
              className="absolute inset-0 size-full overflow-visible"
            >
              {scale.ticks.map((tick) => (
                <line
                  key={tick.label}
                  x1="0"
                  x2="100"
                  y1={100 - tick.at * 100}
                  y2={100 - tick.at * 100}
                  className="stroke-line"
                  vectorEffect="non-scaling-stroke"
                />
              ))}
              {at !== undefined && (
                <rect
                  x={(at / steps.length) * 100}
                  y="0"
                  width={100 / steps.length}
                  height="100"
                  className="fill-sunken"
                />
              )}
              {props.of === 'counts' ? (
                <Bars series={series} scale={scale} />
              ) : (
                <Lines series={series} scale={scale} />
              )}
            </svg>
            <input
              type="range"
              min={0}
              max={steps.length - 1}
              value={at ?? steps.length - 1}
              onChange={(event) => setAt(event.currentTarget.valueAsNumber)}
              onFocus={() => setAt((before) => before ?? steps.length - 1)}
              onBlur={() => setAt(undefined)}
              aria-label={`${title}, step by step`}
              aria-valuetext={[
                stepCopy(steps[at ?? steps.length - 1] ?? '', stepMs, zone),
                ...stepLabels(at),
              ].join(', ')}
              className="absolute inset-0 size-full cursor-crosshair opacity-0"
            />
            {at !== undefined && (
              <div
                aria-hidden="true"
                style={{ left: `${((at + 0.5) / steps.length) * 100}%` }}
                className={`pointer-events-none absolute top-0 z-10 rounded-lg bg-ink px-2.5 py-1.5 text-canvas text-xs shadow-lift ${at < steps.length / 2 ? 'ml-2' : '-translate-x-full -ml-2'}`}
              >
                <p className="whitespace-nowrap opacity-80">{stepCopy(steps[at] ?? '', stepMs, zone)}</p>
                {stepLabels(at).map((text) => (
                  <p key={text} className="whitespace-nowrap font-medium">
                    {text}
                  </p>
                ))}
              </div>
            )}
          </div>
          <div aria-hidden="true" className="relative col-start-2 mt-1.5 h-4">
            {timeTicks(from, to, zone).map((tick) => (
              <span
                key={tick.at}
                style={{ left: `${tick.at * 100}%` }}
                className={`absolute whitespace-nowrap ${tick.at > 0.95 ? '-translate-x-full' : tick.at < 0.05 ? '' : '-translate-x-1/2'}`}
              >
                {tick.label}
              </span>
            ))}
          </div>
        </div>
      )}
      {!empty && (
        <ChartTable {...props} formatValue={formatValue} stepCopy={(step) => stepCopy(step, stepMs, zone)} />
      )}
    </figure>
  );

  function stepLabels(step = steps.length - 1): string[] {
    return series.map(({ name, values }) => {
      const value = values[step] ?? null;
      return `${name}: ${value === null ? 'nothing to measure' : formatValue(value)}`;
    });
  }
}

/** The start and the end of a step, in the operator's time zone. */
function stepCopy(at: string, stepMs: number, zone: string): string {
  const begin = new Date(at);
  if (Number.isNaN(begin.getTime())) return '';
  const day = new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: zone,
  });
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  return `${day.format(begin)}, ${time.format(begin)}–${time.format(begin.getTime() + stepMs)}`;
}
