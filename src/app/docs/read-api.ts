import { z } from 'zod';
import { describeApi } from '#server/http-api/openapi.ts';
import type { ApiField, ApiOperation, ApiResponse } from '#ui/docs/api.ts';
import { curlFor } from './curl.ts';
import { exampleOf } from './example.ts';
import { fieldsOf, typeCopy } from './fields.ts';
import { type JsonSchema, jsonSchema } from './json-schema.ts';

const content = z.record(z.string(), z.object({ schema: jsonSchema }));
const operation = z.object({
  summary: z.string(),
  description: z.string().optional(),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.enum(['header', 'path', 'query']),
      required: z.boolean(),
      description: z.string().optional(),
      schema: jsonSchema,
    }),
  ),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: content.optional() })),
});
const api = z.object({
  info: z.object({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({ schemas: z.record(z.string(), jsonSchema) }),
});

type Content = z.infer<typeof content>;
type Operation = z.infer<typeof operation>;

export interface ApiReference {
  readonly version: string;
  readonly operations: readonly ApiOperation[];
}

/** Reads the reference from the published OpenAPI description, so that both say the same. */
export function readApi(publicUrl: string): ApiReference {
  const { info, paths, components } = api.parse(describeApi(publicUrl));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, found]) =>
      readOperation({ publicUrl, path, method, operation: found, schemas: components.schemas }),
    ),
  );
  return { version: info.version, operations };
}

interface OperationSource {
  readonly publicUrl: string;
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

function readOperation({ publicUrl, path, method, operation, schemas }: OperationSource): ApiOperation {
  const body = namedSchema(operation.requestBody?.content, schemas);
  const responses = Object.entries(operation.responses).map(([status, { description, content }]) =>
    readResponse(status, description, content, schemas),
  );
  const example = body && exampleOf(body.schema);
  return {
    id: operation.summary.toLowerCase().replaceAll(/\W+/g, '-'),
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    headers: [authorization, ...parameters(operation, ['header'])],
    parameters: parameters(operation, ['path', 'query']),
    body: body ? fieldsOf(body.schema, body.name, schemas) : [],
    responses,
    curl: curlFor({ url: `${publicUrl}${path}`, method, operation, body: example }),
    response: successExample(operation, schemas),
  };
}

const authorization: ApiField = {
  name: 'Authorization',
  type: 'string',
  required: true,
  nullable: false,
  constraints: [],
  description: 'Bearer, and an API key of your shop.',
  fields: [],
};

function parameters(operation: Operation, locations: readonly string[]): ApiField[] {
  return operation.parameters
    .filter((parameter) => locations.includes(parameter.in))
    .map((parameter) => {
      const schema = { type: 'object', properties: { [parameter.name]: parameter.schema } };
      const [field] = fieldsOf(schema, parameter.in, {});
      if (!field) throw new Error(`The parameter ${parameter.name} has no schema.`);
      return {
        ...field,
        required: parameter.required,
        description: parameter.description ?? field.description,
      };
    });
}

function readResponse(
  status: string,
  description: string,
  content: Content | undefined,
  schemas: OperationSource['schemas'],
): ApiResponse {
  const found = namedSchema(content, schemas);
  const problem = content !== undefined && 'application/problem+json' in content;
  // All problems have the same fields, which are described once in their own section.
  return {
    status,
    description,
    problem,
    type: found ? (problem ? 'problem' : typeCopy(found.schema)) : undefined,
    fields: found && !problem ? fieldsOf(found.schema, found.name, schemas) : [],
  };
}

function successExample(operation: Operation, schemas: OperationSource['schemas']): string {
  const success = operation.responses['201'] ?? operation.responses['200'];
  const found = namedSchema(success?.content, schemas);
  return found ? JSON.stringify(exampleOf(found.schema, schemas), null, 2) : '';
}

function namedSchema(content: Content | undefined, schemas: OperationSource['schemas']) {
  const [media] = Object.values(content ?? {});
  if (!media) return undefined;
  const name = media.schema.$ref?.split('/').at(-1);
  const schema = name === undefined ? media.schema : schemas[name];
  return schema && { name: name ?? '', schema };
}
