import { expect, test } from 'vitest';
import { z } from 'zod';
import { readPostedForm } from './posted-form.ts';

const schema = z.object({ quantity: z.coerce.number().int().min(0) });
const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

test('a posted form that no page of ours has is a page that does not exist, and no failure', () => {
  expect(readPostedForm(schema, formOf({ quantity: '2' }))).toEqual({ quantity: 2 });
  for (const form of [
    formOf({}),
    formOf({ quantity: '-1' }),
    ...[undefined, null, 'x', 1, { quantity: 2 }, [['quantity', '2']], new Map([['quantity', '2']])],
  ])
    expect(() => readPostedForm(schema, form)).toThrow('NEXT_HTTP_ERROR_FALLBACK;404');
});
