'use client';

import { Scissors } from 'lucide-react';
import { type CutPoint, cutNames, faultNames, type LabScenario } from './lab-copy.ts';

/** One request as a line, with the point where the fault strikes. A range input: it can be dragged, and takes arrow keys. */
export function CutSlider(props: {
  fault: NonNullable<LabScenario['fault']>;
  points: readonly CutPoint[];
  value: CutPoint;
  disabled: boolean;
  onChange: (point: CutPoint) => void;
}) {
  const { fault, points, value } = props;
  const index = points.indexOf(value);
  return (
    <div className="min-w-0 basis-full">
      <label htmlFor="cut" className="flex flex-wrap items-center gap-x-2 font-medium text-sm">
        <Scissors className="size-4 text-danger" aria-hidden="true" />
        {faultNames[fault.action]}: <span className="text-danger">{cutNames[value]}</span>
      </label>
      <div className="relative mt-1">
        <RequestLine count={points.length} cutAt={index} />
        <input
          id="cut"
          type="range"
          min={0}
          max={points.length - 1}
          step={1}
          value={index}
          disabled={props.disabled}
          aria-valuetext={cutNames[value]}
          onChange={(event) => {
            const point = points[Number(event.currentTarget.value)];
            if (point) props.onChange(point);
          }}
          className={`relative block h-11 w-full cursor-grab appearance-none rounded-lg bg-transparent -outline-offset-2 active:cursor-grabbing disabled:cursor-not-allowed disabled:opacity-60 ${thumb}`}
        />
        <ol aria-hidden="true" className="relative mx-3 hidden h-9 sm:block">
          {points.map((point, at) => (
            <li
              key={point}
              className={`absolute text-center text-[0.6875rem] leading-4 ${
                at === 0
                  ? '-ml-3 w-14 text-left'
                  : at === points.length - 1
                    ? 'ml-3 w-14 -translate-x-full text-right'
                    : 'w-20 -translate-x-1/2'
              } ${point === value ? 'font-semibold text-danger' : 'text-ink-faint'}`}
              style={{ left: share(at, points.length) }}
            >
              {cutNames[point]}
            </li>
          ))}
        </ol>
      </div>
    </div>
  );
}

/** A browser draws the middle of the thumb at these shares of the line, which is shorter than the input by one thumb. */
const thumb = [
  '[&::-webkit-slider-thumb]:size-6 [&::-webkit-slider-thumb]:appearance-none [&::-webkit-slider-thumb]:rounded-full',
  '[&::-webkit-slider-thumb]:border-4 [&::-webkit-slider-thumb]:border-surface [&::-webkit-slider-thumb]:bg-danger',
  '[&::-webkit-slider-thumb]:shadow-[0_0_0_2px_var(--danger)]',
  '[&::-moz-range-thumb]:size-6 [&::-moz-range-thumb]:box-border [&::-moz-range-thumb]:rounded-full',
  '[&::-moz-range-thumb]:border-4 [&::-moz-range-thumb]:border-surface [&::-moz-range-thumb]:bg-danger',
  '[&::-moz-range-thumb]:shadow-[0_0_0_2px_var(--danger)]',
].join(' ');

function share(at: number, count: number): string {
  return `${(at / (count - 1)) * 100}%`;
}

/** What the request has done before the cut is a solid line with filled points; what it has not yet done is dashed. */
function RequestLine({ count, cutAt }: { count: number; cutAt: number }) {
  return (
    <div aria-hidden="true" className="absolute inset-x-3 top-0 h-11">
      <div className="absolute inset-x-0 top-1/2 border-line-strong border-t-2 border-dashed" />
      <div
        className="absolute top-1/2 left-0 border-ink-soft border-t-2"
        style={{ width: share(cutAt, count) }}
      />
      {Array.from({ length: count }, (_, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the points are always the same
          key={at}
          className={`absolute top-1/2 size-2.5 -translate-x-1/2 -translate-y-[4px] rounded-full border-2 ${
            at < cutAt ? 'border-ink-soft bg-ink-soft' : 'border-line-strong bg-canvas'
          }`}
          style={{ left: share(at, count) }}
        />
      ))}
    </div>
  );
}
