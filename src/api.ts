import { once } from 'node:events';
import { SettingsError } from '#server/env.ts';
import { createNodeServer } from '#server/http-api/node-server.ts';
import { respond } from '#server/http-api/routes.ts';
import { receiveRequests } from '#server/incoming/receive-requests.ts';
import { orExit } from '#server/or-exit.ts';
import { services } from '#server/services.ts';

/**
 * The process that serves the HTTP API, webhooks, metrics and health without Next, whose router takes longer than a replay.
 * Any number may run. It ends on a signal, and when its parent process is gone.
 */
const built = await orExit(() => services('api'));
const { settings, log } = built;
receiveRequests(settings, (message) => log.warn(message));
const { server, stop } = createNodeServer({
  respond: (request) => respond(built, request),
  onError: (error) => log.error({ err: error }, 'a request failed'),
});
await orExit(async () => {
  if (settings.API_PORT === undefined) throw new SettingsError('API_PORT must be set.');
  server.listen(settings.API_PORT, settings.HOST);
  await once(server, 'listening');
});
process.send?.({ type: 'ready' });

const signals = ['SIGTERM', 'SIGINT', 'disconnect'];
await Promise.race(signals.map((signal) => once(process, signal)));
await stop();
await built.close();
process.exit(0);
