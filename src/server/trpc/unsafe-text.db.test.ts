import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ConsoleHarness, callerOf, openConsoleHarness } from '../testing/console-harness.ts';
import { appRouter } from './root.ts';
import { serveTrpc } from './serve.ts';

/** Every text of every procedure's input, found in the procedure's own schema, so that a new one is tried without a change here. */
interface TextField {
  readonly procedure: string;
  readonly field: string;
  readonly type: 'query' | 'mutation' | 'subscription';
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
  const { inputs, type } = (
    definition as unknown as { _def: { inputs: z.ZodType[]; type: TextField['type'] } }
  )._def;
  const paths = inputs.flatMap((input) =>
    textPaths(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema),
  );
  const names = [...new Set(paths.map((path) => path.join('.')))];
  return names.map((field) => ({
    procedure,
    field,
    type,
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
  expect(fields.filter(({ type }) => type === 'query').length).toBeGreaterThan(20);
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

  test('in each of them that is sent in an address: the same', async () => {
    for (const { procedure, field, type, with: inputOf } of fields) {
      if (type === 'mutation') continue;
      const response = await ask(procedure, JSON.stringify(inputOf(text)));
      // The head of a stream has left before its input is read.
      expect(response.status, `${field} of ${procedure}`).toBe(type === 'query' ? 400 : 200);
      expect(await response.text()).toContain(`"${field || 'input'}: must not contain`);
    }
  });

  test('in the name of a procedure: 404', async () => {
    expect((await ask(`payments.attempt${text.toWellFormed()}`, '{}')).status).toBe(404);
  });
});

function ask(procedure: string, input: string): Promise<Response> {
  const address = `http://127.0.0.1:3000/api/trpc/${encodeURIComponent(procedure)}?input=${encodeURIComponent(input)}`;
  return serveTrpc(harness.services, new Request(address));
}
