import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readKeyHeader } from '#idempotency/index.ts';
import { apiKinds } from '#payments/index.ts';

test('the payment of the README needs no other program than curl, and is accepted as it is written', () => {
  const readme = readFileSync(path.resolve('README.md'), 'utf8');
  const [, command = '', collection] = /```sh\n(curl -i \S*api\/v1\/(\w+) [^`]*)```/.exec(readme) ?? [];
  expect(command).not.toContain('$(');
  const key = /Idempotency-Key: ([^"]+)"/.exec(command)?.[1];
  expect(readKeyHeader(key)).toEqual({ kind: 'key', key });
  const body = /-d '([^']+)'/.exec(command)?.[1] ?? '';
  const kind = apiKinds.find(({ http }) => http.collection === collection);
  expect(kind?.command.safeParse(JSON.parse(body))).toMatchObject({ success: true });
});
