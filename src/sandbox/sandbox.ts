import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { registerAuthenticationPage } from './control/authentication-page.ts';
import { registerControlApi } from './control/control-api.ts';
import { Dispatcher } from './events/dispatcher.ts';
import { eventEndpoints } from './events/event-endpoints.ts';
import { registerFromSettings } from './events/webhook-endpoint.ts';
import { webhookEndpointEndpoints } from './events/webhook-endpoint-endpoints.ts';
import { registerApi, sendError } from './http/api.ts';
import { unrecognizedUrl } from './http/api-error.ts';
import { commitWork, pruneKeys, type Store } from './http/idempotency.ts';
import { RequestLog } from './http/request-log.ts';
import { ResponseDelays } from './http/response-delays.ts';
import { balanceEndpoints } from './payments/balance-endpoints.ts';
import { chargeEndpoints } from './payments/charge-endpoints.ts';
import { finishDue } from './payments/finish-due.ts';
import { intentEndpoints } from './payments/intent-endpoints.ts';
import { refundEndpoints } from './payments/refund-endpoints.ts';
import type { Settings } from './settings.ts';
import { Silences } from './silences.ts';
import { Committer } from './store/committer.ts';
import { openPool, type Pool } from './store/database.ts';
import { newId } from './store/ids.ts';
import { migrate } from './store/migrate.ts';
import { RowReader } from './store/read-rows.ts';
import { Switches } from './switches.ts';
import { API_VERSION } from './versions.ts';
import { WorkerLoop } from './worker-loop.ts';

export interface Sandbox {
  /** Migrates the database, starts everything and resolves to the URL it listens on. */
  listen(): Promise<string>;
  /** Gives running requests a moment to finish and drops those that hang on purpose. Pending deliveries stay in the database. */
  close(): Promise<void>;
  /** Empty until listening. */
  readonly url: string;
}

// Requests take milliseconds; one that is still open after this is hanging, and a supervisor waits two seconds.
const GRACE_MS = 1_000;

// An expired key is already ignored when it is read; pruning only gives the space back, so an hour is soon enough.
const PRUNE_INTERVAL_MS = 3_600_000;

// A response that waits for its webhook must still be sent: an endpoint that is down delays it by five seconds.
const WEBHOOK_WAIT_TIMEOUT_MS = 5_000;

export function createSandbox(settings: Settings): Sandbox {
  const app = createApp(settings);
  const pool = openPool(settings.databaseUrl, (error) =>
    app.log.error({ err: error }, 'a connection was lost'),
  );
  const switches = new Switches(pool);
  const silences = new Silences(pool, () => switches.nowMs());
  const delays = new ResponseDelays();
  const requests = new RequestLog();
  const dispatcher = new Dispatcher(pool, switches, app.log, requests);
  const committer = new Committer(pool, {
    deliveriesAdded: () => dispatcher.wakeSoon(),
    processingStarted: () => finishing.wake(),
  });
  const store: Store = { pool, committer, reader: new RowReader(pool) };
  const finishing = new WorkerLoop(() => finish(store, switches), app.log);
  const pruning = new WorkerLoop(() => prune(pool, switches, silences), app.log, PRUNE_INTERVAL_MS);
  let url = '';

  const context = {
    ...store,
    switches,
    silences,
    dispatcher,
    delays,
    requests,
    apiVersion: API_VERSION,
    clockAdvanced: () => {
      dispatcher.wake();
      finishing.wake();
    },
  };
  const confirmOptions = {
    get publicUrl() {
      return settings.publicUrl ?? url;
    },
    finishAfterMs: settings.finishAfterMs,
  };
  const endpoints = [
    ...intentEndpoints(confirmOptions),
    ...chargeEndpoints,
    ...refundEndpoints,
    ...eventEndpoints,
    ...webhookEndpointEndpoints,
    ...balanceEndpoints,
  ];
  app.register(async (scope) =>
    registerApi(scope, {
      ...context,
      endpoints,
      secretKey: settings.secretKey,
      slowResponseMs: settings.slowResponseMs,
      waitForWebhooks: (events) => dispatcher.waitForDelivery(events, WEBHOOK_WAIT_TIMEOUT_MS),
    }),
  );
  app.register(async (scope) => registerControlApi(scope, context), { prefix: '/_sandbox' });
  app.register(async (scope) => registerAuthenticationPage(scope, context), { prefix: '/_sandbox/3ds' });
  app.setNotFoundHandler((request, reply) => {
    const error = unrecognizedUrl(request.method, request.url.split('?')[0] ?? '');
    return sendError(error, request, reply, context);
  });

  return {
    get url() {
      return url;
    },
    async listen() {
      await migrate(pool);
      await switches.load();
      await silences.load();
      if (settings.webhook) await registerFromSettings(store, settings.webhook, switches.nowMs());
      await app.listen({ host: settings.host, port: settings.port });
      url = addressOf(app, settings.host);
      dispatcher.start();
      finishing.start();
      pruning.start();
      return url;
    },
    async close() {
      delays.end();
      const cutOff = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
      await Promise.all([app.close(), dispatcher.stop(), finishing.stop(), pruning.stop()]);
      clearTimeout(cutOff);
      await pool.end();
    },
  };
}

function createApp(settings: Settings): FastifyInstance {
  return fastify({
    genReqId: () => newId('req'),
    forceCloseConnections: 'idle',
    logger: {
      level: settings.logLevel,
      serializers: {
        // The query string can hold a client secret and the headers hold the API key, so only the path is logged.
        req: (request) => ({ method: request.method, path: request.url.split('?')[0] }),
      },
    },
  });
}

async function finish(store: Store, switches: Switches): Promise<number | null> {
  const nowMs = switches.nowMs();
  const nextMs = await finishDue(store.pool, nowMs, (run) => commitWork(store, API_VERSION, nowMs, run));
  return nextMs === null ? null : nextMs - switches.nowMs();
}

async function prune(pool: Pool, switches: Switches, silences: Silences): Promise<null> {
  await pruneKeys(pool, switches.nowMs());
  await silences.prune();
  return null;
}

function addressOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
