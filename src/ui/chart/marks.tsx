import type { Series } from './chart.tsx';
import type { Scale } from './scale.ts';

const fills: Record<Series['tone'], string> = {
  accent: 'fill-accent',
  unknown: 'fill-unknown',
  ok: 'fill-ok',
  warn: 'fill-warn',
  danger: 'fill-danger',
  quiet: 'fill-line-strong',
};

const strokes: Record<Series['tone'], string> = {
  accent: 'stroke-accent',
  unknown: 'stroke-unknown',
  ok: 'stroke-ok',
  warn: 'stroke-warn',
  danger: 'stroke-danger',
  quiet: 'stroke-line-strong',
};

/** Stacked bars, because no request is counted in two series. */
export function Bars({ series, scale }: { series: readonly Series[]; scale: Scale }) {
  const count = series[0]?.values.length ?? 0;
  const width = 100 / Math.max(1, count);
  return Array.from({ length: count }, (_, step) => {
    let below = 0;
    return series.map(({ name, tone, values }) => {
      const value = values[step] ?? 0;
      if (value === 0) return null;
      const [bottom, top] = [scale.position(below) * 100, scale.position(below + value) * 100];
      below += value;
      return (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: a step is its position in time
          key={`${name} ${step}`}
          x={step * width + width * 0.14}
          width={width * 0.72}
          y={100 - top}
          height={top - bottom}
          className={fills[tone]}
        />
      );
    });
  });
}

/** A line through the values, with a gap where a step has none. A single value is a short dash. */
export function Lines({ series, scale }: { series: readonly Series[]; scale: Scale }) {
  return series.map(({ name, tone, values }) => {
    const width = 100 / Math.max(1, values.length);
    const place = (value: number, step: number, shift = 0.5) =>
      `${(step + shift) * width},${100 - scale.position(value) * 100}`;
    const runs: string[] = [];
    let run: string[] = [];
    values.forEach((value, step) => {
      if (value !== null) run.push(place(value, step));
      if (value !== null && values[step + 1] !== null && step + 1 < values.length) return;
      if (run.length === 1 && value !== null) run = [place(value, step, 0.2), place(value, step, 0.8)];
      if (run.length > 0) runs.push(`M${run.join(' L')}`);
      run = [];
    });
    return (
      <path
        key={name}
        d={runs.join(' ')}
        fill="none"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
        className={strokes[tone]}
      />
    );
  });
}
