import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ConsoleHarness, callerOf, openConsoleHarness } from '../testing/console-harness.ts';
import { appRouter } from './root.ts';

/** Every text of every procedure's input, found in the procedure's own schema, so that a new one is tried without a change here. */
interface TextField {
  readonly procedure: string;
  readonly field: string;
  /** An input that has nothing but this field. */
  with(text: string): unknown;
}

type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
};

function textPaths(schema: JsonSchema, path: readonly string[] = []): (readonly string[])[] {
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const nested = options.flatMap((option) => textPaths(option, path));
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    textPaths(field, [...path, name]),
  );
  const items = schema.items ? textPaths(schema.items, [...path, '0']) : [];
  const own = [schema.type].flat().includes('string') ? [path] : [];
  return [...own, ...nested, ...fields, ...items];
}

function inputWith(path: readonly string[], text: string): unknown {
  return path.reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), text);
}

const fields: TextField[] = Object.entries(appRouter._def.procedures).flatMap(([procedure, definition]) => {
  const { inputs } = (definition as unknown as { _def: { inputs: z.ZodType[] } })._def;
  const paths = inputs.flatMap((input) =>
    textPaths(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema),
  );
  const names = [...new Set(paths.map((path) => path.join('.')))];
  return names.map((field) => ({
    procedure,
    field,
    with: (text) => inputWith(field === '' ? [] : field.split('.'), text),
  }));
});

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());

async function refusalOf({ procedure, with: inputOf }: TextField, text: string): Promise<string> {
  const [router = '', name = ''] = procedure.split('.');
  const caller = callerOf('') as unknown as Record<
    string,
    Record<string, (input: unknown) => Promise<unknown>>
  >;
  const error = await caller[router]?.[name]?.(inputOf(text)).catch((failure: unknown) => failure);
  return error instanceof TRPCError ? `${error.code} ${error.message}` : `no refusal: ${String(error)}`;
}

test('the procedures take texts', () => {
  expect(fields.length).toBeGreaterThan(60);
  expect(fields.map(({ procedure }) => procedure)).toContain('payments.pay');
});

describe.each([
  ['NUL', 'a\u0000b'],
  ['half of a surrogate pair', 'a\ud83d'],
  ['a control character', 'a\u0007b'],
  ['a mark of writing direction', 'a\u202eb'],
])('%s', (_, text) => {
  test.each(fields)('in $field of $procedure: BAD_REQUEST that names it, and no record', async (field) => {
    expect(await refusalOf(field, text)).toMatch(
      new RegExp(`^BAD_REQUEST ${(field.field || 'input').replaceAll('.', '\\.')}: must not contain`),
    );
    expect(await harness.db.idempotencyRecord.count()).toBe(0);
  });
});
