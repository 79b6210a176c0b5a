import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { resolveName } from './resolve-name.ts';

let nameServer: Socket;
let servers: string[];
let asked: string[];
let answer: (query: Buffer) => Buffer | undefined;

beforeEach(async () => {
  asked = [];
  nameServer = createSocket('udp4');
  nameServer.on('message', (query, { port, address }) => {
    asked.push(nameIn(query));
    const response = answer(query);
    if (response) nameServer.send(response, port, address);
  });
  nameServer.bind(0, '127.0.0.1');
  await once(nameServer, 'listening');
  servers = [`127.0.0.1:${nameServer.address().port}`];
});
afterEach(() => {
  nameServer.close();
});

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; query[at]; at += (query[at] ?? 0) + 1)
    labels.push(query.toString('ascii', at + 1, at + 1 + (query[at] ?? 0)));
  return labels.join('.');
}

/** The question, with an answer to the one for IPv4. */
function addressed(query: Buffer, address: readonly number[]): Buffer {
  const end = 12 + nameIn(query).length + 2 + 4;
  const isForIpv4 = query.readUInt16BE(end - 4) === 1;
  const head = Buffer.from([0, 0, 0x81, 0x80, 0, 1, 0, isForIpv4 ? 1 : 0, 0, 0, 0, 0]);
  query.copy(head, 0, 0, 2);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address]);
  return Buffer.concat([head, query.subarray(12, end), ...(isForIpv4 ? [record] : [])]);
}

test('the addresses of a name are asked of the name servers', async () => {
  answer = (query) => addressed(query, [198, 51, 100, 7]);
  expect(await resolveName('hooks.shop.example', 'public', servers)).toEqual([
    { address: '198.51.100.7', family: 4 },
  ]);
});

test('names whose servers are silent keep no other name of the process waiting', async () => {
  const all = Promise.withResolvers<void>();
  const names = Array.from({ length: 8 }, (_, number) => `n${number}.silent.example`);
  answer = () => {
    if (new Set(asked).size === names.length) all.resolve();
    return undefined;
  };
  let ended = 0;
  for (const name of names) resolveName(name, 'public', servers).catch(() => (ended += 1));
  await all.promise;
  await lookup('localhost');
  expect(ended).toBe(0);
});

test('a name that could not be looked up is not one that no server has', async () => {
  answer = (query) => {
    const refused = Buffer.from(query);
    refused.writeUInt16BE(0x8185, 2);
    return refused;
  };
  await expect(resolveName('hooks.shop.example', 'public', servers)).rejects.toMatchObject({
    code: 'EAI_AGAIN',
  });
  answer = (query) => {
    const none = Buffer.from(query);
    none.writeUInt16BE(0x8183, 2);
    return none;
  };
  await expect(resolveName('none.shop.example', 'public', servers)).rejects.toMatchObject({
    code: 'ENOTFOUND',
  });
});
