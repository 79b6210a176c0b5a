import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Silences } from '../silences.ts';
import type { Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import { asApiError, internalError, invalidRequest, keyInUse, unavailable } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import { acceptForms, canonicalForm, type FormObject, parseForm } from './form.ts';
import { type Execution, executeOnce } from './idempotency.ts';
import type { Call } from './response.ts';
import { headersOf, neverRespond, resetConnection, type SendContext, sendResponse } from './send-response.ts';

// The version that stripe-node 23.1 is pinned to. A caller that sends another version gets that one echoed.
export const API_VERSION = '2026-10-28.endive';

// Stripe's limit.
const MAX_KEY_LENGTH = 255;

export interface ApiContext extends SendContext {
  pool: Pool;
  switches: Switches;
  silences: Silences;
  secretKey: string;
  endpoints: Endpoint[];
  /** Called after every commit that may have recorded events or started a payment that finishes later. */
  committed(): void;
}

export function registerApi(app: FastifyInstance, context: ApiContext): void {
  // Keys of requests that are committed but have no response yet. To the caller such a request is still in progress.
  const responding = new Set<string>();

  // Stripe's v1 takes forms only: a JSON body that worked here would fail there.
  app.removeAllContentTypeParsers();
  acceptForms(app);
  app.addHook('onRequest', (request, reply) => applySwitches(request, reply, context));
  app.addHook('onRequest', async (request) => authenticate(request.headers.authorization, context.secretKey));
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, context));

  for (const endpoint of context.endpoints) {
    app.route<{ Params: { id?: string }; Body: FormObject | undefined }>({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request, reply) => {
        const call = callOf(request, context);
        const execute = endpoint.prepare(parametersOf(request), request.params.id ?? '');
        if (endpoint.method === 'GET') {
          const response = await execute({ tx: context.pool, ...call, events: [] });
          if (await isSilenced(request, context)) return neverRespond(reply);
          return reply.code(response.status).headers(headersOf(call)).send(JSON.stringify(response.body));
        }
        const key = call.idempotencyKey;
        if (key !== null && responding.has(key)) throw keyInUse(key);
        const identity = {
          endpoint: pathOf(request),
          canonicalParameters: canonicalForm(parametersOf(request)),
        };
        const execution = await executeOnce(context.pool, call, identity, execute, request.log);
        context.committed();
        if (await isSilenced(request, context)) return neverRespond(reply);
        return whileInUse(responding, key, execution, () => sendResponse(reply, call, execution, context));
      },
    });
  }
}

async function whileInUse<T>(
  inUse: Set<string>,
  key: string | null,
  execution: Execution,
  respond: () => Promise<T>,
): Promise<T> {
  const waits = execution.sendMode === 'slow' || execution.sendMode === 'after_webhook';
  if (key === null || !waits) return respond();
  inUse.add(key);
  try {
    return await respond();
  } finally {
    inUse.delete(key);
  }
}

/** An outage comes before authentication, because a provider that is down checks no API keys. */
async function applySwitches(
  request: FastifyRequest,
  reply: FastifyReply,
  context: ApiContext,
): Promise<unknown> {
  const { outage, latencyMs } = context.switches.state;
  if (outage === 'refuse') return resetConnection(reply);
  if (outage === 'hang') return neverRespond(reply);
  if (outage === '503') return sendError(unavailable(), request, reply, context);
  return (await context.delays.wait(latencyMs)) ? undefined : resetConnection(reply);
}

/** Checked after the work is done, so that a silence which began meanwhile suppresses this response too. */
async function isSilenced(
  request: FastifyRequest<{ Params: { id?: string }; Body: FormObject | undefined }>,
  { silences }: ApiContext,
): Promise<boolean> {
  const { payment_intent, charge } = parametersOf(request);
  const objectId = request.params.id ?? payment_intent ?? charge;
  return typeof objectId === 'string' && silences.covers(objectId);
}

function callOf(request: FastifyRequest, context: ApiContext): Call {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && key.length > MAX_KEY_LENGTH) {
    throw invalidRequest(`Idempotency keys must be at most ${MAX_KEY_LENGTH} characters long.`);
  }
  return {
    requestId: request.id,
    // Stripe ignores keys except on POST: GET and DELETE are idempotent by definition.
    idempotencyKey: request.method === 'POST' && typeof key === 'string' && key !== '' ? key : null,
    apiVersion: versionOf(request),
    nowMs: context.switches.nowMs(),
  };
}

function versionOf(request: FastifyRequest): string {
  const version = request.headers['stripe-version'];
  return typeof version === 'string' ? version : API_VERSION;
}

function parametersOf(request: FastifyRequest<{ Body: FormObject | undefined }>): FormObject {
  if (request.method === 'POST') return request.body ?? parseForm('');
  const query = request.raw.url?.indexOf('?') ?? -1;
  return parseForm(query === -1 ? '' : (request.raw.url ?? '').slice(query + 1));
}

function pathOf(request: FastifyRequest): string {
  return (request.raw.url ?? '').split('?')[0] ?? '';
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  context: Pick<ApiContext, 'switches'>,
): FastifyReply {
  const expected = asApiError(error);
  if (!expected) request.log.error({ err: error }, 'a request failed');
  const { status, body } = expected ?? internalError();
  return reply
    .code(status)
    .headers({
      ...headersOf({
        requestId: request.id,
        idempotencyKey: null,
        apiVersion: versionOf(request),
        nowMs: context.switches.nowMs(),
      }),
      // The concurrent request that holds the key finishes soon.
      ...(status === 409 ? { 'stripe-should-retry': 'true' } : {}),
    })
    .send(JSON.stringify({ error: body }));
}
