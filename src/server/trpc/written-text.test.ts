import { expect, test } from 'vitest';
import type { z } from 'zod';
import { appRouter } from './root.ts';

const invisible = '\u200b\u2060\u200d\u3164\u2800\ufe0f';

/** The refusals of an input that has nothing but this field. */
function refusalsOf(procedure: string, field: string, text: string): string[] {
  const definition = Reflect.get(appRouter._def.procedures, procedure) as unknown as {
    _def: { inputs: z.ZodType[] };
  };
  return definition._def.inputs
    .flatMap((input) => input.safeParse({ [field]: text }).error?.issues ?? [])
    .filter(({ path }) => path.join('.') === field)
    .map(({ message }) => message);
}

test.each([
  ['checks.stop', 'reason'],
  ['exceptions.refund', 'reason'],
  ['exceptions.book', 'reason'],
  ['exceptions.dismiss', 'reason'],
  ['operation.resolve', 'reason'],
  ['operation.note', 'text'],
  ['proposals.reject', 'note'],
  ['refunds.create', 'reason'],
  ['refunds.reject', 'note'],
  ['refunds.close', 'reason'],
  ['settings.change', 'reason'],
])('%s: invisible characters alone are no %s', (procedure, field) => {
  expect(refusalsOf(procedure, field, invisible)).toHaveLength(1);
  expect(refusalsOf(procedure, field, 'The cup arrived broken.')).toEqual([]);
});
