import { formatMoment } from '../moment.tsx';

/**
 * How long ago, at a glance; the exact time in UTC for whoever points at it, or has come to its row by keyboard (which
 * is a `group/row`). `now` is the server's, so both agree.
 */
export function Age({ at, now }: { at: string; now: number }) {
  const exact = formatMoment(at, true);
  return (
    <time dateTime={at} className="group/age relative whitespace-nowrap tabular-nums">
      {ageWords(now - Date.parse(at))}
      <span className="sr-only">, since {exact}</span>
      <span
        aria-hidden="true"
        className="-translate-y-1/2 pointer-events-none invisible absolute top-1/2 right-full z-10 mr-2 rounded-lg bg-ink px-2.5 py-1 text-canvas text-xs shadow-lift group-focus-within/row:visible group-hover/age:visible"
      >
        {exact}
      </span>
    </time>
  );
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const;

export function ageWords(ms: number): string {
  const unit = units.find(([, size]) => ms >= size);
  return unit ? `${Math.floor(ms / unit[1])} ${unit[0]}` : `${Math.max(0, Math.floor(ms / 1000))} s`;
}

/** A span between two events: milliseconds matter where a second is an eternity. */
export function spanWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : ageWords(ms);
}
