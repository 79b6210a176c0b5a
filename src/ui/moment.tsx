/** A point in time in UTC, so that all readers see the same. */
export function formatMoment(at: string, precise = false): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(precise && { second: '2-digit', fractionalSecondDigits: 3 }),
    timeZone: 'UTC',
  });
  return `${format.format(new Date(at))} UTC`;
}
