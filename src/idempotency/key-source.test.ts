import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type KeyRequest, resolveKey } from './key-source.ts';
import { createMemoryStore } from './stores/memory.ts';

const store = createMemoryStore(() => 0);
const request: KeyRequest = {
  tenantId: 'acme',
  operation: 'invoice.pay',
  principal: 'alice',
  keyHeader: undefined,
  input: { invoice: '7781', amount: 5 },
  fingerprint: 'f'.repeat(64),
};
const natural = {
  from: 'natural',
  keyOf: (input: unknown) => (input as { invoice: string }).invoice,
} as const;

test('a natural key is hashed: short ones become long enough, and personal data becomes unreadable', async () => {
  const digest = createHash('sha256').update('7781').digest('hex');
  expect(await resolveKey(store, natural, request)).toEqual({ kind: 'key', key: `natural-${digest}` });
});

test('a natural key depends on the business key alone, and a header does not change it', async () => {
  const plain = await resolveKey(store, natural, request);
  const input = { invoice: '7781', amount: 9 };
  expect(await resolveKey(store, natural, { ...request, input, keyHeader: 'a-key-of-sixteen' })).toEqual(
    plain,
  );
  expect(await resolveKey(store, natural, { ...request, input: { invoice: '7782' } })).not.toEqual(plain);
});

test.each(['', undefined])(
  'a command without its business key (%j) has no key, and shares none with others',
  async (invoice) => {
    expect(await resolveKey(store, natural, { ...request, input: { invoice } })).toEqual({ kind: 'missing' });
  },
);

test('without a header the header source reports a missing key, and the body source derives one from the command', async () => {
  expect(await resolveKey(store, { from: 'header' }, request)).toEqual({ kind: 'missing' });
  const keyOf = (over = {}) => resolveKey(store, { from: 'body', windowMs: 60_000 }, { ...request, ...over });
  const body = await keyOf();
  expect(body).toEqual({ kind: 'key', key: expect.stringMatching(/^body-[0-9a-f]{64}-\d+$/) });
  expect(await keyOf()).toEqual(body);
});

test('an explicit key takes precedence over the body, and an invalid one is refused rather than ignored', async () => {
  const body = { from: 'body', windowMs: 1 } as const;
  const keyHeader = 'this-one-is-new-1';
  expect(await resolveKey(store, body, { ...request, keyHeader })).toEqual({ kind: 'key', key: keyHeader });
  expect(await resolveKey(store, body, { ...request, keyHeader: 'short' })).toMatchObject({
    kind: 'invalid',
  });
});

test('the same command from two callers has two keys: neither gets the response of the other', async () => {
  const store = createMemoryStore();
  const source = { from: 'body', windowMs: 60_000 } as const;
  const alice = await resolveKey(store, source, request);
  const bob = await resolveKey(store, source, { ...request, principal: 'bob' });
  expect(bob).not.toEqual(alice);
});
