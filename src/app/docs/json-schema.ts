import { z } from 'zod';

/** The part of JSON Schema that our OpenAPI description uses. */
export interface JsonSchema {
  readonly type?: string | readonly string[] | undefined;
  readonly description?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly exclusiveMinimum?: number | undefined;
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly items?: JsonSchema | undefined;
  readonly anyOf?: readonly JsonSchema[] | undefined;
  readonly $ref?: string | undefined;
}

export const jsonSchema: z.ZodType<JsonSchema> = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  get properties() {
    return z.record(z.string(), jsonSchema).optional();
  },
  required: z.array(z.string()).optional(),
  get items() {
    return jsonSchema.optional();
  },
  get anyOf() {
    return z.array(jsonSchema).optional();
  },
  $ref: z.string().optional(),
});

/** A schema with `null` beside another type is nullable; the other type describes the value. */
export function withoutNull(schema: JsonSchema): { readonly schema: JsonSchema; readonly nullable: boolean } {
  if (schema.anyOf) {
    const { anyOf, ...rest } = schema;
    const others = anyOf.filter(({ type }) => type !== 'null');
    const nullable = others.length < anyOf.length;
    return { schema: others.length === 1 ? { ...others[0], ...rest } : schema, nullable };
  }
  if (Array.isArray(schema.type) && schema.type.includes('null')) {
    return { schema: { ...schema, type: schema.type.find((type) => type !== 'null') }, nullable: true };
  }
  return { schema, nullable: false };
}
