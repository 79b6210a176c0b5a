import { exampleResponseSchema, operationExamples } from '#server/http-api/reference.ts';
import { type JsonSchema, withoutNull } from './json-schema.ts';

type Example = string | number | null | readonly Example[] | { readonly [name: string]: Example };

/** Values of the operations' examples, by field name; other fields get a value of their type. */
const exampleValues: Readonly<Record<string, Example>> = {
  ...operationExamples,
  amountMinor: 1200,
  currency: 'usd',
  attempt: 1,
  operationId: '0197a4c2-5b1d-72e8-b0f4-93ad06c1e8f2',
  errorCode: null,
};

const exampleTimes: Readonly<Record<string, string>> = {
  createdAt: '2026-11-16T09:41:07.120Z',
  updatedAt: '2026-11-16T09:41:07.893Z',
  completedAt: '2026-11-16T09:41:07.893Z',
};

/** Derived from the schema, so that it has no field that the API does not have. Optional fields are left out. */
export function exampleOf(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>> = {}): Example {
  const reference = schema.$ref?.split('/').at(-1);
  const named = reference === undefined ? undefined : schemas[reference];
  if (named) return exampleOf(named, schemas);
  if (schema.items) return [exampleOf(schema.items, schemas)];
  const required = new Set(schema.required);
  const entries = Object.entries(schema.properties ?? {})
    .filter(([name]) => required.has(name))
    .map(([name, field]) => [name, exampleOfField(name, withoutNull(field).schema, schemas)] as const);
  return Object.fromEntries(entries);
}

function exampleOfField(
  name: string,
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): Example {
  const stored = name === 'response' ? schemas[exampleResponseSchema] : undefined;
  if (stored) return { status: 201, body: exampleOf(stored, schemas) };
  const value = exampleValues[name] ?? exampleTimes[name];
  if (value !== undefined || name in exampleValues) return value ?? null;
  if (name === 'status' && schema.enum?.includes('completed')) return 'completed';
  if (name === 'status' && schema.enum?.includes('succeeded')) return 'succeeded';
  if (schema.enum?.[0]) return schema.enum[0];
  return schema.properties || schema.items ? exampleOf(schema, schemas) : '…';
}
