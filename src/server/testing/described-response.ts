import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describeApi } from '../http-api/openapi.ts';

/*
 * Compares what the HTTP API responds with its own description: the status, the media type and every field. The client of the
 * system tests calls it for each response, so that everything that the suite provokes is described.
 */

interface Described {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Described>>;
}

const root = '/api/v1/';
const description = describeApi('http://127.0.0.1');
const paths = Object.entries(description.paths as Record<string, Record<string, Operation>>);

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema({ $id: 'api', components: description.components });

export interface Given {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What in a response differs from the description. Other addresses than the API's are not described. */
export function differencesFromDescription(given: Given): readonly string[] {
  const { pathname } = new URL(given.url);
  if (!pathname.startsWith(root) || pathname === `${root}openapi.json`) return [];
  const methods = paths.find(([path]) => matches(path, pathname))?.[1];
  const operation = methods?.[given.method.toLowerCase()];
  if (operation) return differences(operation.responses, given);
  const problem = { description: '', content: problemContent };
  if (!methods) return differences({ 404: problem, 401: problem }, given);
  const allowed = given.headers.get('allow')?.split(', ') ?? [];
  const missing = Object.keys(methods).filter((method) => !allowed.includes(method.toUpperCase()));
  return [
    ...differences({ 405: problem }, given),
    ...missing.map((method) => `Allow does not name ${method.toUpperCase()}`),
  ];
}

const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };

function matches(path: string, pathname: string): boolean {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(pathname);
}

function differences(responses: Operation['responses'], { status, headers, text }: Given): string[] {
  const described = responses[status] ?? responses.default;
  if (!described) return [`the status ${status} is not described`];
  // A status that falls under "any other problem" may come from a proxy, never from the service itself.
  if (!responses[status]) return [`the status ${status} is described only as "${described.description}"`];
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const media = described.content?.[type];
  if (!media) return [`the media type "${type}" is not described for the status ${status}`];
  const validate = validatorOf(media.schema);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${instancePath || 'the body'} ${message}`,
  );
}

const validators = new Map<object, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as object;
  const validate = ajv.compile(absolute);
  validators.set(schema, validate);
  return validate;
}
