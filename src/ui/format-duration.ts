const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** How long something has lasted, in one unit and rounded down. */
export function formatAge(ms: number): string {
  if (ms >= day) return `${Math.floor(ms / day)} d`;
  if (ms >= hour) return `${Math.floor(ms / hour)} h`;
  return ms >= minute ? `${Math.floor(ms / minute)} min` : `${Math.max(0, Math.floor(ms / second))} s`;
}

/** How long something took, with two digits and in milliseconds below a second. */
export function formatDuration(ms: number): string {
  if (ms < second) return `${Math.round(ms)} ms`;
  if (ms < minute) return `${trim(ms / second)} s`;
  if (ms < hour) return `${trim(ms / minute)} min`;
  return ms < day ? `${trim(ms / hour)} h` : `${trim(ms / day)} d`;
}

/** How long until something happens, in two units and rounded up: it is never zero while there is time left. */
export function formatCountdown(ms: number): string {
  const left = Math.ceil(ms / second) * second;
  if (left >= day) return `${Math.floor(left / day)} d ${Math.floor((left % day) / hour)} h`;
  if (left >= hour) return `${Math.floor(left / hour)} h ${Math.floor((left % hour) / minute)} min`;
  if (left >= minute) return `${Math.floor(left / minute)} min ${(left % minute) / second} s`;
  return `${left / second} s`;
}

function trim(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0).replace(/\.0$/, '');
}
