import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { Connection } from '#faults/index.ts';
import { createClient, type PayRequest } from './client.ts';
import type { LaneServers } from './lane-servers.ts';
import type { LogEntry } from './log.ts';
import { payNaively } from './pay.ts';
import { seeded } from './seed.ts';

const request: PayRequest = {
  caller: 1,
  key: 'A',
  idempotencyKey: 'key',
  command: { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference: 'order' },
};

/** The address of a server that has ended. */
async function closedUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

test('a request that no process accepts was not sent, also while the lab still believes that the server runs', async () => {
  const url = await closedUrl();
  const entries: LogEntry[] = [];
  let refusals = 0;
  const stopped = new AbortController();
  const servers = {
    connect: () => new Connection(),
    url: () => url,
    async untilUp() {
      refusals += 1;
      if (refusals === 3) stopped.abort();
    },
  } as unknown as LaneServers;
  const client = createClient({
    ...{ lane: 'naive', servers, fault: undefined, seeded: seeded(7), apiKey: '', appUrl: url },
    signal: stopped.signal,
    log: (entry) => entries.push(entry),
  });
  // Two requests that left would be the shopper's last.
  await expect(payNaively(client, request)).rejects.toThrow('aborted');
  expect(entries.map(({ what }) => what)).not.toContain('lost');
});
