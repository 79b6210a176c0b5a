import { z } from 'zod';
import { type OperationKind, operationKinds } from '#payments/index.ts';
import { operationView, pendingResult, problemDocument } from './schemas.ts';

const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: string) => ({ 'application/json': { schema: component(name) } });
const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: component('Problem') } },
});

const keyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'One random name per attempt, kept for every retry: 16 to 255 characters, bare or as a quoted string.',
  schema: {
    type: 'string',
    minLength: 16,
    maxLength: 255,
    examples: ['550e8400-e29b-41d4-a716-446655440000'],
  },
};

const idempotentAnswers = {
  '202': {
    description:
      'The outcome is being checked, or the operation is still running. Do not start over with another key.',
    headers: { Location: { schema: { type: 'string' } }, 'Retry-After': { schema: { type: 'integer' } } },
    content: json('Pending'),
  },
  '400': problem('The request or its key is not valid. Nothing was executed.'),
  '401': problem('The API key is missing or not valid.'),
  '409': problem('The same request is running, or the wish conflicts with an earlier one.'),
  '410': problem('The answer is no longer kept.'),
  '422': problem('The key belongs to another request.'),
  '503': problem('The request cannot be accepted safely at the moment.'),
};

function post({ summary, description, request, response }: OperationKind['http']) {
  return {
    summary,
    description,
    parameters: [keyHeader],
    requestBody: { required: true, content: json(request.name) },
    responses: {
      '201': {
        description: 'The definitive answer. A retry gets the same bytes, with Idempotent-Replayed: true.',
        headers: { 'Idempotent-Replayed': { schema: { type: 'string', enum: ['true'] } } },
        content: json(response.name),
      },
      ...idempotentAnswers,
    },
  };
}

function get(summary: string, parameters: object[], content: object) {
  return {
    summary,
    parameters,
    responses: {
      '200': { description: 'Found.', content },
      '401': problem('The API key is missing or not valid.'),
      '404': problem('Nothing of yours has this id.'),
    },
  };
}

const pathId = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

/** What an operation adds to the paths: how it is executed, and how what it made is read. */
function pathsOf({ http }: OperationKind): object {
  const path = `/api/v1/${http.collection}`;
  return {
    [path]: { post: post(http) },
    ...(http.read && {
      [`${path}/{id}`]: { get: get(http.read.summary, [pathId], json(http.read.name)) },
    }),
  };
}

/** Made of the very schemas the handlers parse with, so it cannot say something else than they do. */
export function describeApi(publicUrl: string) {
  const schemas = {
    ...named(operationKinds.map(({ http, command }) => [http.request.name, input(command)])),
    ...named(operationKinds.map(({ http }) => [http.response.name, output(http.response.schema)])),
    ...named(
      operationKinds.flatMap(({ http: { read } }) => (read ? [[read.name, output(read.schema)]] : [])),
    ),
    Operation: output(operationView),
    Pending: output(pendingResult),
    Problem: output(problemDocument),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Paidonce',
      version: '2026-11-01',
      description: 'Send it as often as you like: it happens once. Amounts are integers in minor units.',
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.assign({}, ...operationKinds.map(pathsOf)),
      '/api/v1/operations/{id}': { get: get('Read an operation', [pathId], json('Operation')) },
      '/api/v1/operations': {
        get: get(
          'Find operations by idempotency key',
          [
            {
              name: 'key',
              in: 'query',
              required: true,
              schema: { type: 'string', minLength: 16, maxLength: 255 },
            },
          ],
          {
            'application/json': {
              schema: {
                type: 'object',
                required: ['data'],
                properties: { data: { type: 'array', items: component('Operation') } },
              },
            },
          },
        ),
      },
    },
    components: {
      schemas,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of one tenant: po_…' },
      },
    },
  };
}

function named(schemas: readonly (readonly [name: string, schema: object])[]): Record<string, object> {
  return Object.fromEntries(schemas);
}

function input(schema: z.ZodType): object {
  return withoutDialect(z.toJSONSchema(schema, { io: 'input' }));
}

function output(schema: z.ZodType): object {
  return withoutDialect(z.toJSONSchema(schema, { io: 'output' }));
}

/** OpenAPI 3.1 has one dialect for the whole document. */
function withoutDialect({ $schema: _, ...schema }: Record<string, unknown>): object {
  return schema;
}
