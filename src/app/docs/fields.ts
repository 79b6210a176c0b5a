import type { ApiField } from '#ui/docs/api.ts';
import { fieldCopy } from './field-copy.ts';
import { type JsonSchema, withoutNull } from './json-schema.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;

/** The fields of an object in the order of their declaration, each with its constraints as text. */
export function fieldsOf(schema: JsonSchema, context: string, schemas: Schemas): ApiField[] {
  const required = new Set(schema.required);
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const { schema: own, nullable } = withoutNull(given);
    const path = `${context}.${name}`;
    return {
      name,
      type: typeCopy(own),
      required: required.has(name),
      nullable,
      constraints: constraintsOf(own),
      description: given.description ?? own.description ?? fieldCopy(context, name) ?? '',
      fields: innerFields(own, path, schemas),
    };
  });
}

function innerFields(schema: JsonSchema, path: string, schemas: Schemas): ApiField[] {
  const named = schema.items?.$ref?.split('/').at(-1);
  const item = named === undefined ? schema.items : schemas[named];
  if (item) return fieldsOf(item, named ?? path, schemas);
  return fieldsOf(schema, path, schemas);
}

export function typeCopy({ type, format, $ref }: JsonSchema): string {
  if ($ref) return 'object';
  if (format === 'uuid') return 'UUID';
  if (format === 'date-time') return 'time, ISO 8601';
  if (format === 'uri') return 'URL';
  if (format === 'email') return 'e-mail address';
  return typeof type === 'string' ? type : 'any';
}

/** The format is part of the type, and the bounds that every safe integer has are left out. */
function constraintsOf(schema: JsonSchema): string[] {
  const { minLength, maxLength, exclusiveMinimum, minimum, maximum, pattern, format } = schema;
  const realBound = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? bound : undefined;
  const least = exclusiveMinimum === undefined ? realBound(minimum) : exclusiveMinimum + 1;
  const most = realBound(maximum);
  const formatNumber = (value: number) => value.toLocaleString('en-US').replaceAll(',', ' ');
  return [
    schema.enum && `one of ${schema.enum.join(', ')}`,
    rangeCopy(least, most, formatNumber),
    rangeCopy(minLength, maxLength, (value) => `${value}`, ' characters'),
    pattern && !format ? `matches ${pattern}` : undefined,
  ].filter((constraint) => constraint !== undefined);
}

function rangeCopy(
  least: number | undefined,
  most: number | undefined,
  format: (value: number) => string,
  unit = '',
): string | undefined {
  if (least !== undefined && most !== undefined) return `${format(least)} to ${format(most)}${unit}`;
  if (most !== undefined) return `at most ${format(most)}${unit}`;
  return least === undefined ? undefined : `at least ${format(least)}${unit}`;
}
