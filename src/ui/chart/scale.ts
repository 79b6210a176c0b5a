import { formatDuration } from '../format-duration.ts';

/** A grid line of a chart and its label. Positions are fractions of the plot, from 0 to 1. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

export interface Scale {
  position(value: number): number;
  readonly ticks: readonly Tick[];
}

const number = new Intl.NumberFormat('en-US');

/** Counts from zero. Ticks are round whole numbers. */
export function countScale(largest: number): Scale {
  const step = Math.max(1, niceStep(largest / 4));
  const top = Math.max(step, Math.ceil(largest / step) * step);
  const position = (value: number) => value / top;
  const values = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return { position, ticks: values.map((value) => ({ at: position(value), label: number.format(value) })) };
}

function niceStep(least: number): number {
  if (least <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5, 10].find((nice) => nice * power >= least) ?? 10);
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const durations = [
  ...[100, 300],
  ...[second, 3 * second, 10 * second, 30 * second],
  ...[minute, 3 * minute, 10 * minute, 30 * minute],
  ...[hour, 3 * hour, 12 * hour, day, 3 * day, 10 * day, 30 * day],
];

/** Durations on a logarithmic scale. Each tick is about three times the one before it. */
export function durationScale(smallest: number, largest: number): Scale {
  const from = durations.findLastIndex((edge) => edge <= smallest);
  const to = durations.findIndex((edge) => edge >= largest);
  const edges = durations.slice(Math.max(0, from), (to === -1 ? durations.length : to) + 1);
  // A scale needs at least two ticks.
  if (edges.length < 2) edges.push((edges[0] ?? second) * 3);
  const [low, high] = [Math.log(edges[0] ?? 1), Math.log(edges.at(-1) ?? 10)];
  const position = (ms: number) => Math.min(1, Math.max(0, (Math.log(Math.max(1, ms)) - low) / (high - low)));
  return { position, ticks: edges.map((edge) => ({ at: position(edge), label: formatDuration(edge) })) };
}

/** Round hours or days of the zone's clock within a span, as many as fit. */
export function timeTicks(fromMs: number, toMs: number, zone: string): readonly Tick[] {
  const span = toMs - fromMs;
  const stepMinutes = span <= 2 * hour ? 15 : span <= 2 * day ? 6 * 60 : 24 * 60;
  const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone });
  const calendar = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', timeZone: zone });
  const ticks: Tick[] = [];
  // Every zone's offset is a multiple of a quarter of an hour.
  for (let at = Math.ceil(fromMs / (15 * minute)) * 15 * minute; at < toMs; at += 15 * minute) {
    const time = clock.format(at);
    const [hours, minutes] = time.split(':').map(Number);
    if (((hours ?? 0) * 60 + (minutes ?? 0)) % stepMinutes !== 0) continue;
    ticks.push({ at: (at - fromMs) / span, label: stepMinutes === 24 * 60 ? calendar.format(at) : time });
  }
  return ticks;
}
