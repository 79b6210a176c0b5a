import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Silences } from '../silences.ts';
import { Changes } from '../store/changes.ts';
import type { Switches } from '../switches.ts';
import { API_VERSION, isVersion } from '../versions.ts';
import {
  asApiError,
  errorBody,
  internalError,
  invalidRequest,
  keyInUse,
  unavailable,
  unrecognizedUrl,
} from './api-error.ts';
import { authenticate, refuseOtherAccounts } from './authenticate.ts';
import type { Endpoint } from './endpoint.ts';
import { acceptForms, canonicalForm, type FormObject, parseForm } from './form.ts';
import { executeOnce, type Store } from './idempotency.ts';
import type { LoggedRequest, RequestLog } from './request-log.ts';
import type { Call, SendMode } from './response.ts';
import { headersOf, neverRespond, resetConnection, type SendContext, sendResponse } from './send-response.ts';

// Stripe's limit.
const MAX_KEY_LENGTH = 255;

export interface ApiContext extends SendContext, Store {
  switches: Switches;
  silences: Silences;
  secretKey: string;
  endpoints: Endpoint[];
  requests: RequestLog;
}

export function registerApi(app: FastifyInstance, context: ApiContext): void {
  // Keys of requests that have no response yet. The unique key in the database is what makes them safe; this set makes
  // the second request fail at once, as at Stripe, where it would otherwise wait and get a replay.
  const inUse = new Set<string>();

  // Stripe's v1 takes forms only: a JSON body that worked here would fail there.
  app.removeAllContentTypeParsers();
  acceptForms(app);
  app.addHook('onRequest', (request, reply) => applySwitches(request, reply, context));
  app.addHook('onRequest', async ({ headers }) => {
    authenticate(headers.authorization, context.secretKey);
    refuseOtherAccounts(headers, context.secretKey);
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, context));

  for (const endpoint of context.endpoints) {
    app.route<{ Params: { id?: string }; Body: FormObject | undefined }>({
      method: endpoint.method,
      url: endpoint.path,
      handler: async (request, reply) => {
        if (request.params.id === '') throw unrecognizedUrl(request.method, pathOf(request));
        const call = callOf(request, context);
        const execute = endpoint.prepare(parametersOf(request), request.params.id ?? '');
        if (endpoint.method === 'GET') {
          const response = await execute({
            db: context.pool,
            reader: context.reader,
            changes: new Changes(),
            ...call,
          });
          const body = JSON.stringify(response.body);
          const silenced = await isSilenced(request, context);
          logRequest(request, reply, { body, status: response.status }, silenced ? 'nothing' : 'response');
          if (silenced) return neverRespond(reply);
          return reply.code(response.status).headers(headersOf(call)).send(body);
        }
        const identity = {
          endpoint: pathOf(request),
          canonicalParameters: canonicalForm(parametersOf(request)),
        };
        return whileInUse(inUse, call.idempotencyKey, async () => {
          const execution = await executeOnce(context, call, identity, execute, request.log);
          const silenced = await isSilenced(request, context);
          logRequest(request, reply, execution, silenced ? 'nothing' : sentOf[execution.sendMode]);
          if (silenced) return neverRespond(reply);
          return sendResponse(reply, call, execution, context);
        });
      },
    });
  }

  function logRequest(
    request: FastifyRequest,
    { elapsedTime }: FastifyReply,
    { body, status, replayed = false }: { body: string; status: number; replayed?: boolean },
    sent: LoggedRequest['sent'],
  ): void {
    const { method } = request;
    const path = pathOf(request);
    const atMs = Math.floor(Date.now() - elapsedTime);
    context.requests.addRequest({ atMs, method, path, body, status, sent, replayed });
  }
}

const sentOf: Record<SendMode, LoggedRequest['sent']> = {
  plain: 'response',
  after_webhook: 'response',
  slow: 'slow',
  no_response: 'nothing',
  reset: 'reset',
  truncated: 'half',
};

async function whileInUse<T>(inUse: Set<string>, key: string | null, run: () => Promise<T>): Promise<T> {
  if (key === null) return run();
  if (inUse.has(key)) throw keyInUse(key);
  inUse.add(key);
  try {
    return await run();
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
    apiVersion: requireVersion(versionOf(request)),
    nowMs: context.switches.nowMs(),
  };
}

/** A caller that sends another version than the account's gets that one echoed. */
function versionOf(request: FastifyRequest): string {
  const version = request.headers['stripe-version'];
  return typeof version === 'string' ? version : API_VERSION;
}

function requireVersion(version: string): string {
  if (!isVersion(version)) throw invalidRequest(`Invalid Stripe API version: ${version}`);
  return version;
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
  const call = {
    requestId: request.id,
    idempotencyKey: null,
    apiVersion: versionOf(request),
    nowMs: context.switches.nowMs(),
  };
  return (
    reply
      .code(status)
      .headers({
        ...headersOf(call),
        // The concurrent request that holds the key finishes soon.
        ...(status === 409 ? { 'stripe-should-retry': 'true' } : {}),
        ...(status === 401 ? { 'www-authenticate': 'Basic realm="Stripe"' } : {}),
      })
      // A request without a valid key belongs to no account, so no log shows it.
      .send(JSON.stringify(status === 401 ? { error: body } : errorBody(body, call)))
  );
}
