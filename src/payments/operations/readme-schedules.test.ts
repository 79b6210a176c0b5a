import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { CheckSchedule } from '#idempotency/index.ts';
import { operationDefinitions } from './registry.ts';

const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');
const units = [
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
];

/** `2 s, then 3, 5 s, 1, 2 min`: the unit once for all pauses in a row that have it. */
function describeSchedule({ firstInMs, pausesMs }: CheckSchedule): string {
  const written = pausesMs.map(writeMs);
  const pauses = written.map(({ value, unit }, index) =>
    written[index + 1]?.unit === unit ? `${value}` : `${value} ${unit}`,
  );
  const first = writeMs(firstInMs);
  return `${first.value} ${first.unit}, then ${pauses.join(', ')}`;
}

function writeMs(ms: number) {
  const unit = units.find((one) => ms % one.ms === 0);
  if (!unit) throw new Error(`${ms} ms is no number of seconds.`);
  return { value: ms / unit.ms, unit: unit.name };
}

test('the README lists the schedule of every operation', () => {
  const listed = [...readme.matchAll(/^- \*\*`([\w.]+)`\*\*: (.*)$/gm)].map(([, name, text]) => [name, text]);
  const defined = operationDefinitions.map(({ name, checks }) => [name, describeSchedule(checks)]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(defined));
});

test.each(operationDefinitions)('the checks of $name come further and further apart', ({ checks }) => {
  const pauses = [checks.firstInMs, ...checks.pausesMs];
  expect(pauses).toEqual(pauses.toSorted((one, other) => one - other));
});
