import { parseArgs } from 'node:util';
import { describe, PlainError } from './plain-error.ts';

const written = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

// What is charged twice without being noticed depends on this time, so nothing is made of one that is not exact: a day that does
// not exist would be read as a later one, and of two times the last would count.
export function readSince(args: string[], now = new Date()): Date {
  let given: string[];
  try {
    given = parseArgs({ args, options: { since: { type: 'string', multiple: true } } }).values.since ?? [];
  } catch (error) {
    throw new PlainError(`${describe(error).split('. ')[0]}. --help lists the options.`);
  }
  const [text = '', second] = given;
  const [, day = ''] = written.exec(text) ?? [];
  const since = new Date(text);
  if (second !== undefined || !isDay(day) || !(since.getTime() >= 0 && since <= now)) {
    throw new PlainError(
      '--since must be one time with its zone, such as 2026-11-17T08:30:00Z, and not in the future.',
    );
  }
  return since;
}

// JavaScript reads the 30th of February as the 2nd of March.
function isDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
