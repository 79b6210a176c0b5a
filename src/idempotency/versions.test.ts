import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { createEngine } from './engine.ts';
import { type Fingerprint, type FingerprintVersions, sha256OfCanonicalJson } from './fingerprint.ts';
import type { OperationDefinition } from './operation.ts';
import { operationRefOf } from './operation-id.ts';
import type { ResponseCipher } from './ports.ts';
import { type CipherKey, createResponseCipher } from './response-cipher.ts';
import { createMemoryStore, type MemoryTx } from './stores/memory.ts';
import { operation } from './testing/engine-under-test.ts';

const oldKey: CipherKey = { id: '2026-01', key: randomBytes(32) };
const newKey: CipherKey = { id: '2026-07', key: randomBytes(32) };

/** One store, and engines of several deploys that use it. */
function createInstallation() {
  const store = createMemoryStore();
  const request = {
    tenantId: 'acme',
    principal: 'alice',
    keyHeader: randomUUID(),
    input: { amount: 5, note: 'x' },
  };
  const scope = { tenantId: 'acme', operation: operation.name, key: request.keyHeader };

  function deploy(
    over: Partial<OperationDefinition<MemoryTx>> = {},
    cipher = createResponseCipher([oldKey]),
  ) {
    const engine = createEngine({ store, cipher, leaseMs: 1_000 });
    return (input: unknown = request.input, body: unknown = { fresh: true }) =>
      engine.run({ ...operation, ...over }, { ...request, input }, async () => ({
        kind: 'completed',
        status: 201,
        body,
        cause: 'test',
      }));
  }
  return { deploy, store, find: () => store.findById(operationRefOf(scope)) };
}

describe('row 22: a fingerprint whose definition changed', () => {
  /** Ignores the note. */
  const noteless: Fingerprint = ({ input }) =>
    createHash('sha512')
      .update(String((input as { amount: number }).amount))
      .digest('hex');
  const v1: FingerprintVersions = { current: 1, byVersion: { 1: sha256OfCanonicalJson } };
  const both: FingerprintVersions = { current: 2, byVersion: { ...v1.byVersion, 2: noteless } };
  const onlyV2: FingerprintVersions = { current: 2, byVersion: { 2: noteless } };

  test('a record is compared by the version that made it, also after another became current', async () => {
    const { deploy, find } = createInstallation();
    const first = await deploy({ fingerprints: v1 })();
    const retry = deploy({ fingerprints: both });
    expect(await retry()).toEqual({ ...first, replayed: true });
    expect(await find()).toMatchObject({ fingerprintVersion: 1 });
    // In version 1 another note is another command, also when version 2 ignores it.
    expect(await retry({ amount: 5, note: 'y' })).toMatchObject({
      problem: { spec: { code: 'idempotency_key_reused' } },
    });
  });

  test('new records are made by the current version', async () => {
    const { deploy, find } = createInstallation();
    const run = deploy({ fingerprints: both });
    await run();
    expect(await find()).toMatchObject({ fingerprintVersion: 2 });
    expect(await run({ amount: 5, note: 'y' })).toMatchObject({ kind: 'completed', replayed: true });
    expect(await run({ amount: 6, note: 'x' })).toMatchObject({ kind: 'refused' });
  });

  test('a version that is forgotten proves nothing: the command is never taken for the same', async () => {
    const { deploy } = createInstallation();
    await deploy({ fingerprints: v1 })();
    expect(await deploy({ fingerprints: onlyV2 })()).toMatchObject({
      problem: { spec: { code: 'idempotency_key_reused' } },
    });
  });

  test('on the old half of a rolling deploy a retry is neither executed nor called misuse: the new half knows it', async () => {
    const { deploy, store, find } = createInstallation();
    const first = await deploy({ fingerprints: both })();
    const misuse = vi.spyOn(store, 'recordMisuse');
    const old = deploy({ fingerprints: v1 });
    for (const input of [undefined, { amount: 6, note: 'x' }]) {
      expect(await old(input)).toMatchObject({
        problem: { spec: { code: 'idempotency_store_unavailable' }, retryAfterSeconds: 2 },
      });
    }
    expect(misuse).not.toHaveBeenCalled();
    expect(await find()).toMatchObject({ fingerprintVersion: 2, attempt: 1 });
    expect(await deploy({ fingerprints: both })()).toEqual({ ...first, replayed: true });
  });

  test('equal digests of different versions are not the same command', async () => {
    const constant: Fingerprint = () => 'same';
    const { deploy } = createInstallation();
    await deploy({ fingerprints: { current: 1, byVersion: { 1: constant } } })();
    const retry = deploy({
      fingerprints: { current: 2, byVersion: { 1: sha256OfCanonicalJson, 2: constant } },
    });
    expect(await retry()).toMatchObject({ problem: { spec: { code: 'idempotency_key_reused' } } });
  });
});

describe('row 22: a response whose schema changed', () => {
  const body = { amount: 5, paid: 'yes', note: 'ünïcode — "quoted"' };

  test('without an upgrade it is replayed byte for byte as it was', async () => {
    const { deploy } = createInstallation();
    const first = await deploy({ responseSchemaVersion: 1 })(undefined, body);
    expect(await deploy({ responseSchemaVersion: 2 })()).toEqual({ ...first, replayed: true });
    expect(first).toMatchObject({ response: { status: 201, body: JSON.stringify(body) } });
  });

  test('with an upgrade it is replayed in the current schema, and the stored one stays as it was', async () => {
    const { deploy, find } = createInstallation();
    await deploy({ responseSchemaVersion: 1 })(undefined, body);
    const before = await find();
    const upgradeResponse = (old: unknown, from: number) => ({ ...(old as object), from, paid: true });
    const upgraded = await deploy({ responseSchemaVersion: 2, upgradeResponse })();
    expect(upgraded).toMatchObject({
      replayed: true,
      response: { status: 201, body: JSON.stringify({ ...body, paid: true, from: 1 }) },
    });
    expect((await find())?.response).toEqual(before?.response);
  });

  test('a response of the current version, or of a newer one, is not changed by the upgrade', async () => {
    const upgradeResponse = () => ({ upgraded: true });
    for (const responseSchemaVersion of [2, 3]) {
      const { deploy } = createInstallation();
      const first = await deploy({ responseSchemaVersion })(undefined, body);
      expect(await deploy({ responseSchemaVersion: 2, upgradeResponse })()).toEqual({
        ...first,
        replayed: true,
      });
    }
  });
});

describe('a key rotation', () => {
  test('in two deployments: at each moment every process reads what any other one sealed', async () => {
    const [before, added, inFront] = [[oldKey], [oldKey, newKey], [newKey, oldKey]] as const;
    // While a deployment is under way, processes of two settings run beside each other.
    for (const [left, right] of [
      [before, added],
      [added, inFront],
    ] as const) {
      for (const [sealing, opening] of [
        [left, right],
        [right, left],
      ] as const) {
        const { deploy, find } = createInstallation();
        const first = await deploy({}, createResponseCipher(sealing))();
        expect((await find())?.response?.keyId).toBe(sealing[0].id);
        expect(await deploy({}, createResponseCipher(opening))()).toEqual({ ...first, replayed: true });
      }
    }
  });

  const unreadable = {
    kind: 'refused',
    problem: { spec: { code: 'response_unreadable', http: 503, newKey: 'unsafe' }, retryAfterSeconds: 2 },
  };

  test.each<[string, ResponseCipher]>([
    ['that this process does not have', createResponseCipher([newKey])],
    [
      'of which this process has another one of the same id',
      createResponseCipher([{ ...newKey, id: oldKey.id }]),
    ],
  ])(
    'a response sealed with a key %s: 503, nothing executes, and a retry elsewhere gets it',
    async (_, cipher) => {
      const { deploy, find } = createInstallation();
      const first = await deploy()();
      const before = await find();
      expect(await deploy({}, cipher)(undefined, { second: 'execution' })).toMatchObject(unreadable);
      expect(await find()).toEqual(before);
      expect(await deploy()()).toEqual({ ...first, replayed: true });
    },
  );

  test('a late owner gets 503 as well, if a process with a newer key has completed its operation', async () => {
    const store = createMemoryStore();
    const engineWith = (key: CipherKey) =>
      createEngine({ store, cipher: createResponseCipher([key]), leaseMs: 1_000 });
    const request = { tenantId: 'acme', principal: 'alice', keyHeader: randomUUID(), input: {} };
    const done = { kind: 'completed', status: 201, body: { by: 'owner' }, cause: 'test' } as const;
    const outcome = await engineWith(oldKey).run(operation, request, async ({ ref }) => {
      const record = await store.findById(ref);
      if (!record) throw new Error('Expected the record.');
      await engineWith(newKey).resolve(operation, record, { ...done, body: { by: 'webhook' } }, 'webhook');
      return done;
    });
    expect(outcome).toMatchObject(unreadable);
    expect(await engineWith(newKey).run(operation, request, async () => done)).toMatchObject({
      replayed: true,
      response: { body: JSON.stringify({ by: 'webhook' }) },
    });
  });

  test('a body that was moved to another record, or altered, cannot be read', () => {
    const cipher = createResponseCipher([oldKey]);
    const [mine, other] = [randomUUID(), randomUUID()];
    const sealed = cipher.seal(mine, 'paid');
    expect(cipher.open(mine, sealed)).toBe('paid');
    expect(() => cipher.open(other, sealed)).toThrow();
    for (const at of sealed.body.keys()) {
      const altered = Uint8Array.from(sealed.body);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(() => cipher.open(mine, { ...sealed, body: altered })).toThrow();
    }
    expect(() => cipher.open(mine, { ...sealed, body: sealed.body.subarray(0, -1) })).toThrow();
  });

  test('the same body is never sealed to the same bytes twice', () => {
    const cipher = createResponseCipher([oldKey]);
    const id = randomUUID();
    expect(cipher.seal(id, 'paid').body).not.toEqual(cipher.seal(id, 'paid').body);
  });
});
