import { expect, test } from 'vitest';
import { readSince } from './read-since.ts';

const now = new Date('2026-11-17T12:00:00Z');

test.each([
  ['2026-11-17T08:30:00Z', '2026-11-17T08:30:00.000Z'],
  ['2026-11-17T08:30Z', '2026-11-17T08:30:00.000Z'],
  ['2026-11-17T09:30:00.5+01:00', '2026-11-17T08:30:00.500Z'],
  ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
])('%s is a time since when commits may be missing', (text, time) => {
  expect(readSince(['--since', text], now).toISOString()).toBe(time);
});

test.each([
  ['nothing', []],
  ['no zone', ['--since', '2026-11-17T08:30:00']],
  ['no time of day', ['--since', '2026-11-17']],
  ['a time in the future', ['--since', '2026-11-17T12:00:01Z']],
  ['a day that does not exist, which would be read as a later one', ['--since', '2026-02-30T08:30:00Z']],
  ['an hour that does not exist', ['--since', '2026-02-03T25:30:00Z']],
  ['a year that PostgreSQL does not have', ['--since', '0000-01-01T00:00:00Z']],
  ['a year before Christ', ['--since=-271821-04-20T00:00:00Z']],
  ['two times', ['--since', '1999-01-01T00:00:00Z', '--since', '2026-11-17T08:30:00Z']],
])('%s is refused with a sentence', (_, args) => {
  expect(() => readSince(args, now)).toThrow('--since must be one time with its zone');
});

test.each([[['--sinse', 'x']], [['2026-11-17T08:30:00Z']], [['--since']]])('so is %j', (args) => {
  expect(() => readSince(args, now)).toThrow('--help lists the options.');
});
