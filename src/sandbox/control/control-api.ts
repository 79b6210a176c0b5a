import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { redeliver } from '../events/delivery.ts';
import type { Dispatcher } from '../events/dispatcher.ts';
import { commitWork, type Store } from '../http/idempotency.ts';
import type { RequestLog } from '../http/request-log.ts';
import { CARDS } from '../payments/cards.ts';
import { failRefund } from '../payments/refund.ts';
import type { Silences } from '../silences.ts';
import { OUTAGE_MODES, type Switches } from '../switches.ts';
import { API_VERSION } from '../versions.ts';
import { countCharges, ledgerFilter, listCharges, listRefunds } from './ledger.ts';
import { isLoopback, isLoopbackName } from './loopback.ts';

export interface ControlContext extends Store {
  switches: Switches;
  silences: Silences;
  dispatcher: Dispatcher;
  requests: RequestLog;
  /** Called after the clock was advanced, so that deliveries and payments that are now due are processed. */
  clockAdvanced(): void;
}

const outage = z.strictObject({ on: z.boolean(), mode: z.enum(OUTAGE_MODES).default('503') });
// A minute is beyond any client's timeout; anything longer is the "hang" outage.
const latency = z.strictObject({ ms: z.number().int().min(0).max(60_000) });
const webhooks = z.strictObject({ on: z.boolean() });
// Ten minutes outlast every lease and the first checks of a poller; a provider that is silent for longer is an outage.
const silence = z.strictObject({
  reference: z.string().min(1).max(500),
  seconds: z.number().min(0).max(600),
});
const ofReference = z.strictObject({ reference: z.string() });
// The reasons that Stripe documents.
const refundFailure = z.strictObject({
  refund: z.string(),
  reason: z
    .enum([
      'lost_or_stolen_card',
      'expired_or_canceled_card',
      'charge_for_pending_refund_disputed',
      'insufficient_funds',
      'declined',
      'merchant_request',
      'unknown',
    ])
    .default('expired_or_canceled_card'),
});
const redelivery = z.strictObject({ event: z.string() });
// A year is longer than any key lives and any delivery is retried.
const advance = z.strictObject({ seconds: z.number().min(0).max(31_536_000) });

/**
 * What Stripe does not have: the sandbox's ledger and its switches. It takes JSON only, so a web page that is open in the
 * developer's browser cannot change them: a cross-site JSON post needs a CORS permission that this server never gives.
 */
export function registerControlApi(app: FastifyInstance, context: ControlContext): void {
  const { pool, switches, silences } = context;

  app.addHook('onRequest', async (request, reply) => {
    if (isLoopback(request.socket.remoteAddress) && isLoopbackName(request.headers.host)) return undefined;
    return reply.code(403).send({ error: 'The control API is open to this machine only.' });
  });
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof z.ZodError) return reply.code(400).send({ error: z.prettifyError(error) });
    const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
    if (status >= 500) request.log.error({ err: error }, 'the control API failed');
    return reply.code(status).send({ error: error instanceof Error ? error.message : 'failed' });
  });

  app.get('/health', async () => {
    await pool.query('SELECT 1');
    return { status: 'ok' };
  });
  app.get('/payment_methods', async () => ({
    data: CARDS.map(({ id, label, kind, description }) => ({ id, label, kind, description })),
  }));
  app.get('/charges', async (request) => ({
    data: await listCharges(pool, ledgerFilter.parse(request.query)),
  }));
  app.get('/charges/count', async () => countCharges(pool));
  app.get('/refunds', async (request) => ({
    data: await listRefunds(pool, ledgerFilter.parse(request.query)),
  }));
  app.get('/requests', async (request) => context.requests.about(ofReference.parse(request.query).reference));
  app.get('/silence', async (request) => {
    const { reference } = ofReference.parse(request.query);
    return { reference, seconds: silences.remainingMs(reference) / 1000 };
  });
  app.get('/state', async () => stateObject(context));
  app.get('/clock', async () => clockObject(switches));

  app.post('/outage', async (request) => {
    const { on, mode } = outage.parse(request.body);
    await switches.set({ outage: on ? mode : null });
    return stateObject(context);
  });
  app.post('/latency', async (request) => {
    await switches.set({ latencyMs: latency.parse(request.body).ms });
    return stateObject(context);
  });
  app.post('/webhooks', async (request) => {
    await switches.set({ webhooksOn: webhooks.parse(request.body).on });
    context.dispatcher.wake();
    return stateObject(context);
  });
  app.post('/silence', async (request) => {
    const { reference, seconds } = silence.parse(request.body);
    await silences.set(reference, seconds);
    context.dispatcher.wake();
    return { reference, seconds };
  });
  app.post('/refunds/fail', async (request, reply) => {
    const { refund, reason } = refundFailure.parse(request.body);
    const failed = await commitWork(context, API_VERSION, switches.nowMs(), (work) =>
      failRefund(work, refund, reason),
    );
    if (!failed) return reply.code(404).send({ error: `No such refund that succeeded: '${refund}'` });
    return { refund, status: failed.status };
  });
  app.post('/webhooks/redeliver', async (request, reply) => {
    const { event } = redelivery.parse(request.body);
    const deliveries = await redeliver(pool, event, switches.nowMs());
    if (deliveries === null) return reply.code(404).send({ error: `No such event: '${event}'` });
    context.dispatcher.wake();
    return { event, deliveries };
  });
  app.post('/clock', async (request) => {
    await switches.advanceClock(Math.round(advance.parse(request.body).seconds * 1000));
    context.clockAdvanced();
    return clockObject(switches);
  });
}

function stateObject({ switches, silences }: ControlContext): object {
  const { state } = switches;
  return {
    outage: { on: state.outage !== null, mode: state.outage },
    latency: { ms: state.latencyMs },
    webhooks: { on: state.webhooksOn },
    silences: silences.list(),
    clock: { advanced_seconds: state.clockOffsetMs / 1000 },
  };
}

function clockObject(switches: Switches): object {
  const nowMs = switches.nowMs();
  return {
    now: Math.floor(nowMs / 1000),
    iso: new Date(nowMs).toISOString(),
    advanced_seconds: switches.state.clockOffsetMs / 1000,
  };
}
