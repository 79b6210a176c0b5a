import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Silences } from '../silences.ts';
import type { Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import { asApiError, internalError, invalidRequest, keyInUse, unavailable } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import { type DeliveryContext, deliver, headersOf, neverRespond, resetConnection } from './deliver.ts';
import type { Endpoint } from './endpoint.ts';
import { canonicalForm, type FormObject, parseForm } from './form.ts';
import { type Execution, executeOnce } from './idempotency.ts';
import type { Call } from './response.ts';

// What stripe-node 23.1 is pinned to; a caller that names another version gets that one echoed.
export const API_VERSION = '2026-10-28.endive';

// Stripe's limit, to the character.
const LONGEST_KEY = 255;

export interface ApiContext extends DeliveryContext {
  pool: Pool;
  switches: Switches;
  silences: Silences;
  secretKey: string;
  endpoints: Endpoint[];
  /** Called after every commit that may owe webhooks or have started a payment that finishes later. */
  committed(): void;
}

export function registerApi(app: FastifyInstance, context: ApiContext): void {
  // Keys whose response has not been sent although the work is done: a slow response is a request in progress.
  const responding = new Set<string>();

  // Stripe's v1 takes forms only: a JSON body that worked here would fail there.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body))),
  );
  app.addHook('onRequest', (request, reply) => meetSwitches(request, reply, context));
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
        const named = {
          endpoint: pathOf(request),
          canonicalParameters: canonicalForm(parametersOf(request)),
        };
        const execution = await executeOnce(context.pool, call, named, execute, request.log);
        context.committed();
        if (await isSilenced(request, context)) return neverRespond(reply);
        return whileInUse(responding, key, execution, () => deliver(reply, call, execution, context));
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
  const waits = execution.delivery === 'slow' || execution.delivery === 'after_webhook';
  if (key === null || !waits) return respond();
  inUse.add(key);
  try {
    return await respond();
  } finally {
    inUse.delete(key);
  }
}

/** An outage comes before everything else, as it would: a provider that is down checks no keys. */
async function meetSwitches(
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

/** Checked after the work is done, so that a silence which began meanwhile hides its response too. */
async function isSilenced(
  request: FastifyRequest<{ Params: { id?: string }; Body: FormObject | undefined }>,
  { silences }: ApiContext,
): Promise<boolean> {
  const { payment_intent, charge } = parametersOf(request);
  const about = request.params.id ?? payment_intent ?? charge;
  return typeof about === 'string' && silences.cover(about);
}

function callOf(request: FastifyRequest, context: ApiContext): Call {
  const key = request.headers['idempotency-key'];
  if (typeof key === 'string' && key.length > LONGEST_KEY) {
    throw invalidRequest(`Idempotency keys must be at most ${LONGEST_KEY} characters long.`);
  }
  const version = request.headers['stripe-version'];
  return {
    requestId: request.id,
    // Stripe gives keys a meaning on POST only: GET and DELETE are idempotent by definition.
    idempotencyKey: request.method === 'POST' && typeof key === 'string' && key !== '' ? key : null,
    apiVersion: typeof version === 'string' ? version : API_VERSION,
    nowMs: context.switches.nowMs(),
  };
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
  const version = request.headers['stripe-version'];
  const explained = asApiError(error);
  if (!explained) request.log.error({ err: error }, 'a request failed');
  const known = explained ?? internalError();
  return reply
    .code(known.status)
    .headers({
      ...headersOf({
        requestId: request.id,
        idempotencyKey: null,
        apiVersion: typeof version === 'string' ? version : API_VERSION,
        nowMs: context.switches.nowMs(),
      }),
      // The twin that holds the key will have finished in a moment.
      ...(known.status === 409 ? { 'stripe-should-retry': 'true' } : {}),
    })
    .send(JSON.stringify({ error: known.body }));
}
