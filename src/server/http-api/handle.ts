import type { z } from 'zod';
import { createFetchAdapter, type HttpLinks, problemResponse } from '#idempotency/adapters/fetch.ts';
import {
  type Handler,
  idempotencyProblems,
  type OperationDefinition,
  type OperationRef,
  type Problem,
} from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { findTenantByApiKey } from '../api-keys.ts';
import { readBody } from '../read-body.ts';
import type { Services } from '../services.ts';
import { apiProblems } from './problems.ts';

type Tx = Prisma.TransactionClient;

export interface Caller {
  readonly tenantId: string;
  readonly principal: string;
}

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
  request: Request,
  handle: (caller: Caller) => Promise<Response>,
): Promise<Response> {
  const links = linksOf(services);
  const token = /^Bearer (po_[\w-]{20,100})$/.exec(request.headers.get('authorization') ?? '')?.[1];
  let key: Awaited<ReturnType<typeof findTenantByApiKey>>;
  try {
    key = token ? await findTenantByApiKey(services.db, token) : undefined;
  } catch (error) {
    services.log.error({ err: error }, 'api key lookup failed');
    const spec =
      request.method === 'POST'
        ? idempotencyProblems.idempotency_store_unavailable
        : apiProblems.service_unavailable;
    return problemResponse({ spec, retryAfterSeconds: 2 }, links);
  }
  if (!key) {
    const response = problemResponse({ spec: apiProblems.unauthorized }, links);
    response.headers.set('WWW-Authenticate', 'Bearer realm="paidonce"');
    return response;
  }
  return handle({ tenantId: key.tenantId, principal: `api_key:${key.keyId}` });
}

/** An idempotent POST: parse, then through the engine. */
export async function idempotentPost<Schema extends z.ZodType, T>(
  services: Services,
  request: Request,
  options: {
    readonly body: Schema;
    readonly operation: OperationDefinition<Tx>;
    readonly handler: (input: z.output<Schema>) => Handler<T, Tx>;
    readonly describePending?: (operation: OperationRef) => Promise<object>;
  },
): Promise<Response> {
  return asCaller(services, request, async (caller) => {
    const links = linksOf(services);
    const parsed = await parseBody(request, options.body);
    if ('problem' in parsed) return problemResponse(parsed.problem, links);
    const { describePending } = options;
    const adapter = createFetchAdapter(
      services.engine,
      links,
      describePending && ((id) => describePending({ tenantId: caller.tenantId, id })),
    );
    return adapter(
      options.operation,
      { ...caller, keyHeader: request.headers.get('idempotency-key'), input: parsed.input },
      options.handler(parsed.input),
    );
  });
}

async function parseBody<Schema extends z.ZodType>(
  request: Request,
  schema: Schema,
): Promise<{ input: z.output<Schema> } | { problem: Problem }> {
  const text = await readBody(request, maxBodyBytes);
  if (text === undefined) return invalid('The body is larger than 16 KiB.');
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return invalid('The body is not JSON.');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return { input: parsed.data };
  return invalid(
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`).join('; '),
  );
}

export function invalid(detail: string): { problem: Problem } {
  return { problem: { spec: apiProblems.invalid_request, detail } };
}
