import { describe, expect, test } from 'vitest';
import { readDay, readZone, startOfDay, startOfNextDay } from './days.ts';

test.each([
  ['2026-11-17', undefined, '2026-11-17T00:00:00.000Z'],
  ['2026-11-17', 'Asia/Kolkata', '2026-11-16T18:30:00.000Z'],
  ['2026-11-17', 'America/New_York', '2026-11-17T05:00:00.000Z'],
  ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00.000Z'],
  // The day on which clocks change begins before they do.
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
])('%s in %s begins at %s', (day, zone, at) => {
  expect(startOfDay(day, zone).toISOString()).toBe(at);
});

test('a day on which clocks change has 23 or 25 hours', () => {
  const hours = (day: string) =>
    (startOfNextDay(day, 'Europe/Berlin').getTime() - startOfDay(day, 'Europe/Berlin').getTime()) / 3_600_000;
  expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-11-17')]).toEqual([23, 25, 24]);
});

describe('what is not a day or a zone is ignored', () => {
  test.each(['0000-01-01', '0001-01-01', '1969-12-31', '2100-01-01', '9999-12-31'])('%s', (text) => {
    expect(readDay(text)).toBeUndefined();
  });
  test.each([undefined, '', '2026-02-30', '17.11.2026', '2026-11-17T00:00', "2026-11-17'"])('%s', (text) => {
    expect(readDay(text)).toBeUndefined();
  });
  test.each([undefined, '', 'Mars/Olympus', "UTC'; --"])('%s', (text) => {
    expect(readZone(text)).toBeUndefined();
  });
});
