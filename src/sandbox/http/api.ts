import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Silences } from '../silences.ts';
import type { Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import type { Call } from './response.ts';
import { asApiError, internalError, invalidRequest, keyInUse, unavailable } from './api-error.ts';
import { authenticate } from './authenticate.ts';
import { type DeliveryRoom, deliver, headersOf, resetting, stayingSilent } from './deliver.ts';
import type { Endpoint } from './endpoint.ts';
import { canonicalForm, type FormObject, parseForm } from './form.ts';
import { type Execution, executeOnce } from './idempotency.ts';

// What stripe-node 23.1 is pinned to; a caller that names another version gets that one echoed.
export const API_VERSION = '2026-10-28.endive';

// Stripe's limit, to the character.
const LONGEST_KEY = 255;

export interface ApiRoom extends DeliveryRoom {
  pool: Pool;
  switches: Switches;
  silences: Silences;
  secretKey: string;
  endpoints: Endpoint[];
  /** Called after every commit that may owe webhooks or have started a settlement. */
  committed(): void;
}

export function registerApi(app: FastifyInstance, room: ApiRoom): void {
  // Keys whose answer is still on its way although the work is done: a slow answer is a request in progress.
  const beingAnswered = new Set<string>();

  // Stripe's v1 takes forms only: a JSON body that worked here would fail there.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body))),
  );
  app.addHook('onRequest', (request, reply) => meetSwitches(request, reply, room));
  app.addHook('onRequest', async (request) => authenticate(request.headers.authorization, room.secretKey));
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, room));

  for (const endpoint of room.endpoints) {
    app.route<{ Params: { id?: string }; Body: FormObject | undefined }>({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request, reply) => {
        const call = callOf(request, room);
        const execute = endpoint.prepare(parametersOf(request), request.params.id ?? '');
        if (endpoint.method === 'GET') {
          const answer = await execute({ tx: room.pool, ...call, events: [] });
          if (await isSilenced(request, room)) return stayingSilent(reply);
          return reply.code(answer.status).headers(headersOf(call)).send(JSON.stringify(answer.body));
        }
        const key = call.idempotencyKey;
        if (key !== null && beingAnswered.has(key)) throw keyInUse(key);
        const named = {
          endpoint: pathOf(request),
          canonicalParameters: canonicalForm(parametersOf(request)),
        };
        const execution = await executeOnce(room.pool, call, named, execute, request.log);
        room.committed();
        if (await isSilenced(request, room)) return stayingSilent(reply);
        return whileInUse(beingAnswered, key, execution, () => deliver(reply, call, execution, room));
      },
    });
  }
}

async function whileInUse<T>(
  inUse: Set<string>,
  key: string | null,
  execution: Execution,
  answering: () => Promise<T>,
): Promise<T> {
  const waits = execution.delivery === 'slow' || execution.delivery === 'after_webhook';
  if (key === null || !waits) return answering();
  inUse.add(key);
  try {
    return await answering();
  } finally {
    inUse.delete(key);
  }
}

/** An outage comes before everything else, as it would: a provider that is down checks no keys. */
async function meetSwitches(request: FastifyRequest, reply: FastifyReply, room: ApiRoom): Promise<unknown> {
  const { outage, latencyMs } = room.switches.state;
  if (outage === 'refuse') return resetting(reply);
  if (outage === 'hang') return stayingSilent(reply);
  if (outage === '503') return sendError(unavailable(), request, reply, room);
  return (await room.patience.wait(latencyMs)) ? undefined : resetting(reply);
}

/** Asked after the work is done, so that a silence which began meanwhile hides its answer too. */
async function isSilenced(
  request: FastifyRequest<{ Params: { id?: string }; Body: FormObject | undefined }>,
  { silences }: ApiRoom,
): Promise<boolean> {
  const { payment_intent, charge } = parametersOf(request);
  const about = request.params.id ?? payment_intent ?? charge;
  return typeof about === 'string' && silences.cover(about);
}

function callOf(request: FastifyRequest, room: ApiRoom): Call {
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
    nowMs: room.switches.nowMs(),
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
  room: Pick<ApiRoom, 'switches'>,
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
        nowMs: room.switches.nowMs(),
      }),
      // The twin that holds the key will have finished in a moment.
      ...(known.status === 409 ? { 'stripe-should-retry': 'true' } : {}),
    })
    .send(JSON.stringify({ error: known.body }));
}
