import { z } from 'zod';

type Schema = Record<string, unknown> & { type?: string; format?: string; pattern?: string };

/** The names of fields that identify something: a row by its id, or an invitation by its token. */
const idField = /(^i|I)ds?$|(^t|T)oken$/;

/** Texts of common shapes; the first that fits a pattern is taken. */
const shapes = ['x', 'acme', 'A'.repeat(43), 'pm_card_visa', '2026-11-16', 'payment.create', '0'.repeat(64)];

export class NoExample extends Error {}

/**
 * A valid input for a procedure, made from its own schema, in which every field that identifies something holds `id`.
 * Fields that may be left out are left out, unless they identify something.
 */
export function exampleInput(schemas: readonly z.ZodType[], id: string): unknown {
  if (schemas.length === 0) return undefined;
  const parts = schemas.map((schema) => {
    const example = exampleOf(describe(schema), '', id);
    const parsed = schema.safeParse(example);
    if (!parsed.success) throw new NoExample(parsed.error.issues.map(({ message }) => message).join(' '));
    return example;
  });
  return parts.every((part) => typeof part === 'object' && part !== null)
    ? Object.assign({}, ...parts)
    : parts.at(-1);
}

/** The tests make thousands of examples from a hundred schemas, and to describe one takes longer than to make one. */
const descriptions = new WeakMap<z.ZodType, Schema>();

function describe(schema: z.ZodType): Schema {
  const known = descriptions.get(schema);
  if (known) return known;
  const description = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  descriptions.set(schema, description);
  return description;
}

/** Whether the input has a field that identifies something. */
export function takesAnId(schemas: readonly z.ZodType[]): boolean {
  const marked = '00000000-0000-4000-8000-00000000feed';
  try {
    return JSON.stringify(exampleInput(schemas, marked) ?? null).includes(marked);
  } catch {
    return true;
  }
}

function exampleOf(schema: Schema, name: string, id: string): unknown {
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const options = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(options)) return exampleOf(options[0] as Schema, name, id);
  if (Array.isArray(schema.allOf)) {
    return Object.assign({}, ...schema.allOf.map((part) => exampleOf(part as Schema, name, id)));
  }
  switch (schema.type) {
    case 'object':
      return exampleObject(schema, id);
    case 'array':
      return [exampleOf((schema.items ?? {}) as Schema, name, id)];
    case 'string':
      return idField.test(name) || schema.format === 'uuid' ? id : exampleText(schema);
    case 'integer':
    case 'number':
      return Math.min(Math.max(1, Number(schema.minimum ?? 1)), Number(schema.maximum ?? 1_000_000));
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function exampleObject(schema: Schema, id: string): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = (schema.required ?? []) as string[];
  return Object.fromEntries(
    properties
      .filter(([name]) => required.includes(name) || idField.test(name))
      .map(([name, property]) => [name, exampleOf(property, name, id)]),
  );
}

function exampleText(schema: Schema): string {
  if (schema.format === 'email') return 'person@example.com';
  if (schema.format === 'uri') return 'https://merchant.example/hooks';
  if (schema.format === 'date-time') return '2026-11-16T00:00:00Z';
  const minLength = Number(schema.minLength ?? 1);
  const long = 'A sentence that is as long as a schema asks. '
    .repeat(Math.ceil(minLength / 45))
    .slice(0, Math.max(minLength, 1));
  const pattern = schema.pattern ? new RegExp(schema.pattern) : undefined;
  const found = pattern
    ? [...shapes, long].find((text) => text.length >= minLength && pattern.test(text))
    : long;
  if (found === undefined) throw new NoExample(`No text is known that matches ${schema.pattern}.`);
  return found;
}
