import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import type { ApiKeyScope } from '#console/settings/api-key-scopes.ts';
import { createFetchAdapter, type HttpLinks, problemResponse } from '#idempotency/adapters/fetch.ts';
import {
  type Handler,
  idempotencyProblems,
  type OperationDefinition,
  type OperationRef,
  type OperationRequest,
  type Problem,
} from '#idempotency/index.ts';
import { findUnsafeText, unsafeTextMessage } from '#payments/unsafe-text.ts';
import type { Prisma } from '#prisma';
import { BodyCutOff, readBytes } from '../read-body.ts';
import type { Services } from '../services.ts';
import { isUnavailable, retryAfterSeconds } from '../unavailable.ts';
import { apiProblems } from './problems.ts';
import { findRepeatedName } from './repeated-name.ts';
import type { ApiRequest } from './request.ts';

type Tx = Prisma.TransactionClient;

export interface Caller {
  readonly tenantId: string;
  readonly principal: string;
}

/** All callers of a tenant's API, whichever API key they have: a retry after a key was rotated is the same caller's. */
const apiPrincipal = 'api';

/** A body of a few fields; anything larger is a mistake or an attack. */
const maxBodyBytes = 16 * 1024;

export function linksOf({ settings }: Pick<Services, 'settings'>): HttpLinks {
  return {
    problem: (code) => `${settings.PUBLIC_URL}/problems/${code}`,
    operation: (id) => `${settings.PUBLIC_URL}/api/v1/operations/${id}`,
  };
}

/** Authenticates, then runs the handler. A request that fails authentication gets a problem and leaves no record. */
export async function asCaller(
  services: Services,
  request: ApiRequest,
  scope: ApiKeyScope,
  handle: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  const links = linksOf(services);
  const token = /^Bearer (po_[\w-]{20,100})$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  let key: Awaited<ReturnType<Services['apiKeys']['find']>>;
  try {
    key = token ? await services.apiKeys.find(token) : undefined;
  } catch (error) {
    return unavailable(error);
  }
  if (!key) {
    const response = problemResponse({ spec: apiProblems.unauthorized }, links);
    response.headers.set('WWW-Authenticate', 'Bearer realm="paidonce"');
    return response;
  }
  if (!key.scopes.includes(scope)) {
    const response = problemResponse({ spec: apiProblems.scope_missing }, links);
    const challenge = `Bearer realm="paidonce", error="insufficient_scope", scope="${scope}"`;
    response.headers.set('WWW-Authenticate', challenge);
    return response;
  }
  return handle({ tenantId: key.tenantId, principal: apiPrincipal }).catch((error: unknown) => {
    if (isUnavailable(error)) return unavailable(error);
    if (error instanceof BodyCutOff) return problemResponse(invalid(error.message).problem, links);
    services.log.error({ err: error }, 'a request of the HTTP API failed');
    return problemResponse({ spec: apiProblems.internal_error }, links);
  });

  /** The database does not respond. The same request may be sent again. */
  function unavailable(error: unknown): Response {
    services.log.error({ err: error }, 'the database does not respond');
    const spec =
      request.method === 'POST'
        ? idempotencyProblems.idempotency_store_unavailable
        : apiProblems.service_unavailable;
    return problemResponse({ spec, retryAfterSeconds }, links);
  }
}

/**
 * Authenticates, checks the names of the query parameters, then reads. A parameter that is misspelt is refused like a field of a
 * body that is not described: its caller would otherwise take what was found for what was asked for.
 */
export function asReader(
  services: Services,
  request: ApiRequest,
  parameters: readonly string[],
  read: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  return asCaller(services, request, 'read', async (caller) => {
    const names = [...new URL(request.url).searchParams.keys()];
    const unknown = names.find((name) => !parameters.includes(name));
    if (unknown === undefined) return read(caller);
    const takes = parameters.length > 0 ? `takes only ${parameters.join(', ')}` : 'takes no parameters';
    const { problem } = invalid(`${JSON.stringify(unknown)}: this address ${takes}.`);
    return problemResponse(problem, linksOf(services));
  });
}

/** An idempotent POST: parse, then through the engine. */
export async function idempotentPost<Schema extends z.ZodType, T>(
  services: Services,
  request: ApiRequest,
  options: {
    readonly body: Schema;
    readonly scope: ApiKeyScope;
    readonly operation: OperationDefinition<Tx>;
    readonly atClaim?: (input: z.output<Schema>) => NonNullable<OperationRequest['atClaim']>;
    readonly handler: (input: z.output<Schema>) => Handler<T, Tx>;
    readonly describePending?: (operation: OperationRef) => Promise<object>;
  },
): Promise<Response> {
  return asCaller(services, request, options.scope, async (caller) => {
    const links = linksOf(services);
    const parsed = await parseBody(request, options.body);
    if ('problem' in parsed) {
      const refused = problemResponse(parsed.problem, links);
      // What is left of a body that was not read would be taken for the next request.
      if (parsed.problem.spec.http === 413) refused.headers.set('Connection', 'close');
      return refused;
    }
    const { describePending } = options;
    const adapter = createFetchAdapter(
      services.engine,
      links,
      describePending && ((id) => describePending({ tenantId: caller.tenantId, id })),
    );
    return adapter(
      options.operation,
      {
        ...caller,
        keyHeader: request.headers.get('idempotency-key'),
        input: parsed.input,
        ...(options.atClaim && { atClaim: options.atClaim(parsed.input) }),
      },
      options.handler(parsed.input),
    );
  });
}

async function parseBody<Schema extends z.ZodType>(
  request: ApiRequest,
  schema: Schema,
): Promise<{ input: z.output<Schema> } | { problem: Problem }> {
  if (!isJson(request.headers.get('content-type'))) {
    return { problem: { spec: apiProblems.unsupported_media_type } };
  }
  if (isCompressed(request.headers.get('content-encoding'))) {
    return {
      problem: {
        spec: apiProblems.unsupported_media_type,
        detail: 'The body is compressed. Send it as it is.',
      },
    };
  }
  const bytes = await readBytes(request, maxBodyBytes);
  if (bytes === undefined) return { problem: { spec: apiProblems.body_too_large } };
  // Each broken character would otherwise be read as the same one, and two commands as one.
  if (!isUtf8(bytes)) return invalid('The body is not UTF-8.');
  const text = bytes.toString('utf8');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return invalid('The body is not JSON.');
  }
  const unsafe = findUnsafeText(json);
  if (unsafe) return invalid(`${unsafe}: ${unsafeTextMessage}`);
  const repeated = findRepeatedName(text);
  if (repeated !== undefined) return invalid(`The body has ${JSON.stringify(repeated)} twice.`);
  const parsed = schema.safeParse(json);
  if (parsed.success) return { input: parsed.data };
  return invalid(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  );
}

/** With any parameters: JSON has no other encoding than UTF-8. */
function isJson(contentType: string | null): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

function isCompressed(contentEncoding: string | null): boolean {
  return contentEncoding !== null && contentEncoding.trim().toLowerCase() !== 'identity';
}

export function invalid(detail: string): { problem: Problem } {
  return { problem: { spec: apiProblems.invalid_request, detail } };
}
