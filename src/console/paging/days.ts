/** The first and the last day that a list shows, each as YYYY-MM-DD in a time zone; UTC if none is given. */
export interface DayRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly zone?: string | undefined;
}

/** A day of the calendar, such as 2026-11-17, in a time that our rows can have: PostgreSQL has no year 0. */
export function readDay(text: string | undefined): string | undefined {
  if (!text || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const at = new Date(`${text}T00:00:00Z`);
  const isInTime = at.getTime() >= 0 && at.getTime() < Date.UTC(2100, 0, 1);
  return isInTime && at.toISOString().startsWith(text) ? text : undefined;
}

/** A time zone that this runtime knows. */
export function readZone(text: string | undefined): string | undefined {
  if (!text || text.length > 60) return undefined;
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    return text;
  } catch {
    return undefined;
  }
}

/** When the day begins there. */
export function startOfDay(day: string, zone = 'UTC'): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The offset is that of the result, which may differ from that of the guess on the day when clocks change.
  const guess = midnight - offsetMs(midnight, zone);
  return new Date(midnight - offsetMs(guess, zone));
}

export function startOfNextDay(day: string, zone?: string): Date {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return startOfDay(next, zone);
}

/** How far the zone's clocks are ahead of UTC. */
function offsetMs(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(at / 1_000) * 1_000;
}
