import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { createEngine, createResponseCipher } from '#idempotency/index.ts';
import {
  createFaultInjector,
  createFaultyProvider,
  createFaultyStore,
  createNaiveCheckout,
  createNaiveTable,
  type LaneMessage,
  type Preparation,
  type UntimedEvent,
} from '#lab/index.ts';
import { postToCollection } from '#server/http-api/collections.ts';
import { type Services, services } from '#server/services.ts';

/**
 * A server of the lab, which the lab may kill and freeze: `node src/lane.ts protected` serves the HTTP API's payments with
 * the same handlers as the app, `node src/lane.ts naive` serves a checkout without protection. It exists on the embedded
 * default only, listens on this machine only, and ends with its parent.
 */
const built = services('lane');
const { settings } = built;
if (!settings.demo || !process.send) throw new Error('Only the lab starts this, on the embedded default.');

type Handle = (request: Request) => Promise<Response>;

const injector = createFaultInjector({ report, loseDatabase });
let silentProvider = false;
const handle = process.argv[2] === 'naive' ? await createNaive() : createProtected(built);

const server = createServer((incoming, outgoing) => {
  void injector.serve(incoming, async () => {
    await report({ what: 'received' });
    await respond(incoming, outgoing).catch((error: unknown) => {
      built.log.error({ err: error }, 'a request of the lab failed');
      outgoing.writeHead(500).end();
    });
    await report({ what: 'finished' });
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  void send({ type: 'ready', url: `http://127.0.0.1:${port}` });
});

process.on('message', ({ fault, ...preparation }: Preparation) => {
  injector.arm(fault);
  silentProvider = preparation.silentProvider === true;
  void send({ type: 'prepared' });
});
// Its parent is gone. There is nothing to save: the lab's servers are made to be killed.
process.once('disconnect', () => process.exit(0));

async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await text(incoming);
  const request = new Request(new URL(incoming.url ?? '/', 'http://127.0.0.1'), {
    method: incoming.method ?? 'GET',
    headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((one): [string, string] => [name, one]),
    ),
    ...(body !== '' && { body }),
  });
  const response = await handle(request);
  await injector.reached('before_response');
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.end(await response.text());
}

/** The engine and the provider of the app, with stops at the points where the lab's faults strike. */
function createProtected({ store, signal, provider }: Services): Handle {
  const engine = createEngine({
    store: createFaultyStore(store, injector, report),
    signal,
    cipher: createResponseCipher(settings.RESPONSE_KEYS),
    leaseMs: settings.LEASE_MS,
  });
  const faulty = { ...built, engine, provider: createFaultyProvider(provider, injector, report) };
  return (request) => postToCollection(faulty, request, 'payments');
}

async function createNaive(): Promise<Handle> {
  const pool = new pg.Pool({ connectionString: settings.DATABASE_URL, max: 8 });
  // A connection that breaks while it is idle is replaced. Without a listener Node would end the process.
  pool.on('error', () => undefined);
  await createNaiveTable(pool);
  const pay = createNaiveCheckout({
    pool,
    provider: {
      url: settings.SANDBOX_URL,
      secretKey: settings.SANDBOX_SECRET_KEY ?? '',
    },
    confirmTimeoutMs: () => (silentProvider ? settings.PROVIDER_TIMEOUT_MS : 8_000),
    reached: injector.reached,
    report,
  });
  return async (request) => {
    const { status, body } = await pay(await request.json());
    return Response.json(body, { status });
  };
}

/** By the name that the lab gives each server's connections. PostgreSQL itself keeps running: the shop uses it too. */
async function loseDatabase(): Promise<void> {
  const url = new URL(settings.DATABASE_URL);
  const name = url.searchParams.get('application_name');
  url.searchParams.delete('application_name');
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  await admin.query(
    'SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity WHERE application_name = $1',
    [name],
  );
  await admin.end();
}

function report(event: UntimedEvent): Promise<void> {
  return send({ type: 'event', event: { atMs: Date.now(), ...event } });
}

function send(message: LaneMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, () => resolve());
    else resolve();
  });
}
