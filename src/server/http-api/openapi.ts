import { z } from 'zod';
import { apiKinds, type OperationHttp } from '#payments/index.ts';
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

const retryAfter = { 'Retry-After': { schema: { type: 'integer' } } };

/** Of every operation. What is not named is a problem as well, such as the refusal of a proxy in front of the service. */
const commonProblems = {
  '401': problem('The API key is missing or not valid.'),
  '403': problem('The API key is not for this: see its scopes.'),
  '500': problem('The service failed. A request with a key may be sent again with the same key.'),
  '503': { ...problem('The request cannot be accepted safely at the moment.'), headers: retryAfter },
  default: problem('Any other problem.'),
};

const idempotentResponses = {
  '202': {
    description:
      'The outcome is being checked, or the operation is still running. Do not start over with another key.',
    headers: { Location: { schema: { type: 'string' } }, ...retryAfter },
    content: json('Pending'),
  },
  '400': problem('The request, its key, or what it names is not valid. Nothing was executed.'),
  '404': problem('What the request names does not exist. Nothing was executed.'),
  '409': {
    ...problem('The same request is running, or it conflicts with an earlier one.'),
    headers: retryAfter,
  },
  '410': problem('The response is no longer stored.'),
  '413': problem('The body is too large. Nothing was executed.'),
  '415': problem('The body is not JSON. Nothing was executed.'),
  '422': problem('The key belongs to another request.'),
  '429': { ...problem('Too many requests. Nothing was executed.'), headers: retryAfter },
  '502': problem('The payment provider refused the request as we sent it. Nothing was executed.'),
  ...commonProblems,
};

function post({ summary, description, scope, request, response }: OperationHttp) {
  return {
    operationId: lowerFirst(request.name),
    summary,
    description: `${description} Needs an API key with the scope \`${scope}\`.`,
    security: [{ apiKey: [scope] }],
    parameters: [keyHeader],
    requestBody: { required: true, content: json(request.name) },
    responses: {
      '201': {
        description: 'The definitive response. A retry gets the same bytes, with Idempotent-Replayed: true.',
        headers: { 'Idempotent-Replayed': { schema: { type: 'string', enum: ['true'] } } },
        content: json(response.name),
      },
      ...idempotentResponses,
    },
  };
}

function get(operationId: string, summary: string, parameters: object[], content: object) {
  return {
    operationId,
    summary,
    description: 'Needs an API key with the scope `read`.',
    security: [{ apiKey: ['read'] }],
    parameters,
    responses: {
      '200': { description: 'Found.', content },
      '400': problem('A parameter is not valid, or is not one of those described.'),
      ...commonProblems,
    },
  };
}

/** Reads one thing by its id. */
function getById(operationId: string, summary: string, name: string) {
  const read = get(operationId, summary, [pathId], json(name));
  return { ...read, responses: { ...read.responses, '404': problem('Nothing of yours has this id.') } };
}

function find(operationId: string, summary: string, parameters: object[], name: string) {
  const list = {
    type: 'object',
    required: ['data'],
    properties: { data: { type: 'array', items: component(name) } },
    additionalProperties: false,
  };
  return get(operationId, summary, parameters, { 'application/json': { schema: list } });
}

const keyParameter = {
  name: 'key',
  in: 'query',
  required: true,
  schema: { type: 'string', minLength: 16, maxLength: 255 },
};
const pathId = { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } };

/** What an operation adds to the paths: how it is executed, and how what it made is read. */
function pathsOf({ http }: { readonly http: OperationHttp }): object {
  const path = `/api/v1/${http.collection}`;
  return {
    [path]: { post: post(http) },
    ...(http.read && {
      [`${path}/{id}`]: { get: getById(`get${http.read.name}`, http.read.summary, http.read.name) },
    }),
  };
}

/** Generated from the schemas that the handlers parse with, so that the two cannot disagree. */
export function describeApi(publicUrl: string) {
  const schemas = {
    ...named(apiKinds.map(({ http, command }) => [http.request.name, input(command)])),
    ...named(apiKinds.map(({ http }) => [http.response.name, output(http.response.schema)])),
    ...named(apiKinds.flatMap(({ http: { read } }) => (read ? [[read.name, output(read.schema)]] : []))),
    Operation: output(operationView),
    Pending: output(pendingResult),
    Problem: output(
      problemDocument.extend(Object.assign({}, ...apiKinds.map(({ http }) => http.problemFields))),
    ),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Paidonce',
      version: '2026-11-01',
      description:
        'Send it as often as you like: it happens once. Amounts are integers in minor units. A body with a field that is not described, or with one twice, is refused, and so is a read with a query parameter that is not described.',
    },
    servers: [{ url: publicUrl }],
    security: [{ apiKey: [] }],
    paths: {
      ...Object.assign({}, ...apiKinds.map(pathsOf)),
      '/api/v1/operations/{id}': { get: getById('getOperation', 'Read an operation', 'Operation') },
      '/api/v1/operations': {
        get: find('findOperations', 'Find operations by idempotency key', [keyParameter], 'Operation'),
      },
    },
    components: {
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key of one tenant: po_…. Each has scopes (read, pay, refund), and most have an end; owners create them in the console.',
        },
      },
    },
  };
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
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
