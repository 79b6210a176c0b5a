import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreateRefund, createRefundKind, type PaymentProvider, runOperation } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { noteDatabase, openGap, skipGap } from './database-gap.ts';
import { compareWith, loseCommits } from './testing/lost-commits.ts';

/**
 * I11 beyond the provider's memory: a restored backup lacks what was done since, its keys are tried again, and the provider has
 * forgotten them. The provider's ledger decides.
 */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const comparing = { kind: 'refused', problem: { spec: { code: 'comparing_with_provider' } } };

const compare = (provider?: PaymentProvider) => compareWith(harness, provider);
const restore = (operationId: string, to?: readonly string[]) => loseCommits(harness, operationId, to);

function charges(reference: string) {
  return harness.sandbox.charges(reference);
}

function exceptionsOf(paymentId: unknown) {
  return harness.db.reconciliationException.findMany({ where: { paymentId: String(paymentId) } });
}

describe('a payment whose key is tried again after the provider has forgotten it', () => {
  async function payAndRestore(to?: readonly string[]) {
    const [payCommand, key] = [command(), newKey()];
    const first = bodyOf(await harness.pay(payCommand, key));
    await restore(String(first.operationId), to);
    return { payCommand, key, first, again: () => harness.pay(payCommand, key) };
  }

  test('is not sent before the comparison, and gets its first response after it', async () => {
    const { payCommand, first, again } = await payAndRestore();
    expect(await again()).toMatchObject(comparing);
    expect(await again()).toMatchObject(comparing);
    expect(await harness.pay(command(), newKey())).toMatchObject(comparing);
    expect(await compare()).toMatchObject({ differed: 1 });
    const booked = { reason: 'record_lost', status: 'booked', decidedBy: 'comparison' };
    expect(await exceptionsOf(first.paymentId)).toMatchObject([booked]);
    // Another key finds it paid.
    expect(await harness.pay(payCommand, newKey())).toMatchObject({
      problem: { spec: { code: 'payment_exists_for_reference' }, extensions: { paymentStatus: 'succeeded' } },
    });
    expect(bodyOf(await again())).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
    expect(await compare()).toBeUndefined();
    expect(
      await harness.db.payment.findMany({
        where: { id: String(first.paymentId) },
        include: { ledger: true, events: true },
      }),
    ).toMatchObject([{ status: 'succeeded', ledger: [{}, {}], events: [{}] }]);
  });

  test('is not executed with another command than the lost one', async () => {
    const { payCommand, key, first } = await payAndRestore();
    const other = { ...payCommand, amountMinor: 9900 };
    expect(await harness.pay(other, key)).toMatchObject(comparing);
    await compare();
    expect(await harness.pay(other, key)).toMatchObject({
      problem: { spec: { code: 'idempotency_key_expired' }, extensions: { resourceId: first.paymentId } },
    });
    expect(await charges(payCommand.reference)).toMatchObject([{ amount: 1200 }]);
  });

  test('is completed by the comparison where only the commits after its claim were lost', async () => {
    const { payCommand, first, again } = await payAndRestore([
      `UPDATE payment SET status = 'pending', provider_intent_id = NULL, provider_charge_id = NULL, completed_at = NULL
        WHERE tenant_id = $1 AND operation_id = $2::uuid`,
      `UPDATE idempotency_record SET status = 'in_progress', recovery_point = 'claimed', effect_sent = false,
        lease_until = now() + interval '1 minute', response_status = NULL, response_body = NULL, response_key_id = NULL,
        response_schema_version = NULL, resource_type = NULL, resource_id = NULL, completed_at = NULL, expires_at = NULL
        WHERE tenant_id = $1 AND id = $2::uuid`,
    ]);
    await compare();
    expect(bodyOf(await again())).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
  });

  test('continues with the intent of the lost generation where its own was released before', async () => {
    const { payCommand, first, again } = await payAndRestore([
      `UPDATE payment SET status = 'released', provider_intent_id = NULL, provider_charge_id = NULL, completed_at = NULL
        WHERE tenant_id = $1 AND operation_id = $2::uuid`,
      `UPDATE idempotency_record SET status = 'failed_retryable', recovery_point = 'claimed', effect_sent = false,
        response_status = NULL, response_body = NULL, response_key_id = NULL, response_schema_version = NULL,
        resource_type = NULL, resource_id = NULL, completed_at = NULL, expires_at = NULL
        WHERE tenant_id = $1 AND id = $2::uuid`,
    ]);
    expect(await again()).toMatchObject(comparing);
    await compare();
    expect(bodyOf(await again())).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
  });

  test('continues with the charged generation, not with an intent that was made before it', async () => {
    const [payCommand, key] = [command(), newKey()];
    const { createIntent } = harness.provider;
    const ambiguous: PaymentProvider = {
      ...harness.provider,
      async createIntent(request) {
        await createIntent(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    };
    expect(await harness.pay(payCommand, key, ambiguous as never)).toMatchObject({ kind: 'refused' });
    const first = bodyOf(await harness.pay(payCommand, key));
    expect(await harness.sandbox.intents(payCommand.reference)).toBe(2);
    await restore(String(first.operationId));
    await compare();
    expect(bodyOf(await harness.pay(payCommand, key))).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
  });

  test.each(['createIntent', 'confirmIntent'] as const)(
    'whose claim is lost during its %s is charged at most once, and its key pays',
    async (method) => {
      const [payCommand, key] = [command(), newKey()];
      const overtaken: PaymentHarness['provider'] = {
        ...harness.provider,
        createIntent: (request) => during('createIntent', harness.provider.createIntent(request), request),
        confirmIntent: (id, request) =>
          during('confirmIntent', harness.provider.confirmIntent(id, request), request),
      };
      async function during<T>(called: string, result: Promise<T>, of: { readonly operationId: string }) {
        await result;
        if (called === method) await restore(of.operationId);
        return result;
      }
      // Its attempt is over: the record that it would write to is gone.
      const outcome = await harness.pay(payCommand, key, overtaken);
      expect(outcome).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
      expect(await charges(payCommand.reference)).toHaveLength(method === 'createIntent' ? 0 : 1);
      await compare();
      expect(bodyOf(await harness.pay(payCommand, key))).toMatchObject({ status: 'succeeded' });
      expect(await charges(payCommand.reference)).toHaveLength(1);
    },
  );

  test('stays closed while the provider cannot be compared with', async () => {
    const { again, payCommand, first } = await payAndRestore();
    const silent = async () => ({ kind: 'ambiguous', code: 'provider_timeout' }) as const;
    await expect(compare({ ...harness.provider, listCreated: silent })).rejects.toThrow('provider_timeout');
    let page = 0;
    const inTurns = async () => {
      page += 1;
      return { kind: 'responded', listed: [], objectIds: [], next: `pi_${page % 2}` } as const;
    };
    const turning = compare({ ...harness.provider, listCreated: inTurns });
    await expect(turning, 'its pages lead back to each other').rejects.toThrow('provider_response_invalid');
    expect(await again()).toMatchObject(comparing);
    await compare();
    expect(bodyOf(await again())).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
  });
});

test('a lost refund that is tried again after the provider has forgotten its key is paid back once', async () => {
  const payCommand = command();
  const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
  const input = { paymentId: String(paymentId), reference: 'return-1', amountMinor: 500 };
  const key = newKey();
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key };
  const refund = (given: CreateRefund) => runOperation(harness, createRefundKind, caller, given);
  const first = bodyOf(await refund(input));
  await restore(String(first.operationId));
  expect(await refund(input)).toMatchObject(comparing);
  await compare();
  expect(bodyOf(await refund(input))).toEqual(first);
  expect(await harness.refundedAtProvider(payCommand.reference)).toBe(500);
  const refundId = String(first.refundId);
  expect(await harness.db.reconciliationException.findMany({ where: { refundId } })).toMatchObject([
    { reason: 'record_lost', status: 'booked' },
  ]);
});

describe('a refund whose last attempt was lost', () => {
  const noResponse = `response_status = NULL, response_body = NULL, response_key_id = NULL, response_schema_version = NULL,
    resource_type = NULL, resource_id = NULL, completed_at = NULL, expires_at = NULL`;
  const unreserved = `UPDATE payment SET refunded_minor = 0 WHERE tenant_id = $1 AND id IN (
    SELECT payment_id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`;

  async function refundAndRestore(to: readonly string[], provider?: PaymentProvider) {
    const payCommand = command();
    const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
    const input = { paymentId: String(paymentId), reference: 'return-1', amountMinor: 500 };
    const refund = (key: string) => {
      const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key };
      return runOperation(harness, createRefundKind, caller, input);
    };
    const key = newKey();
    const first = bodyOf(await refund(key));
    await restore(String(first.operationId), [unreserved, ...to]);
    await compare(provider);
    return {
      reference: payCommand.reference,
      first,
      again: () => refund(key),
      other: () => refund(newKey()),
    };
  }

  test('and that was released before is booked: no other key makes it again, and its own gets its first response', async () => {
    const { reference, first, again, other } = await refundAndRestore([
      `UPDATE refund SET status = 'released', provider_refund_id = NULL, completed_at = NULL
        WHERE tenant_id = $1 AND operation_id = $2::uuid`,
      `UPDATE idempotency_record SET status = 'failed_retryable', recovery_point = 'claimed', effect_sent = false,
        ${noResponse} WHERE tenant_id = $1 AND id = $2::uuid`,
    ]);
    expect(await other()).toMatchObject({ problem: { spec: { code: 'refund_exists_for_reference' } } });
    expect(bodyOf(await again())).toEqual(first);
    expect(await harness.refundedAtProvider(reference)).toBe(500);
  });

  test('and of which only the claim is left, while a bank is at work on it, is not made again when the provider has forgotten its key', async () => {
    const { listCreated, findRefund } = harness.provider;
    const pending: PaymentProvider = {
      ...harness.provider,
      async listCreated(page) {
        const found = await listCreated(page);
        if (found.kind !== 'responded' || page.object !== 'refund') return found;
        return { ...found, listed: found.listed.map((one) => ({ ...one, state: 'pending' })) };
      },
      async findRefund(wanted) {
        const found = await findRefund(wanted);
        return found?.kind === 'responded'
          ? { ...found, refund: { ...found.refund, state: 'pending' } }
          : found;
      },
    };
    const { reference, first, again } = await refundAndRestore(
      [
        'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
        `UPDATE idempotency_record SET status = 'in_progress', recovery_point = 'claimed', effect_sent = false,
          lease_until = now() + interval '1 minute', ${noResponse} WHERE tenant_id = $1 AND id = $2::uuid`,
      ],
      pending,
    );
    await harness.db.$executeRaw`
      UPDATE idempotency_record SET lease_until = now() - interval '1 second' WHERE id = ${first.operationId}::uuid`;
    expect(bodyOf(await again())).toEqual(first);
    expect(await harness.refundedAtProvider(reference)).toBe(500);
  });

  test.each(['under way', 'over'])(
    'and of which only the claim is left, with a lease that is %s, is booked, and its amount counts as refunded',
    async (lease) => {
      const { reference, first, again, other } = await refundAndRestore([
        'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
        `UPDATE idempotency_record SET status = 'in_progress', recovery_point = 'claimed', effect_sent = false,
        lease_until = now() ${lease === 'over' ? '-' : '+'} interval '1 minute', ${noResponse} WHERE tenant_id = $1 AND id = $2::uuid`,
      ]);
      expect(await other()).toMatchObject({ problem: { spec: { code: 'refund_exists_for_reference' } } });
      expect(bodyOf(await again())).toEqual(first);
      expect(await harness.refundedAtProvider(reference)).toBe(500);
      const payment = await harness.db.payment.findFirstOrThrow({ where: { id: String(first.paymentId) } });
      expect(payment.refundedMinor).toBe(500n);
    },
  );
});

describe('a list that lacks what our books have from the provider', () => {
  const empty = { kind: 'responded', listed: [], events: [], objectIds: [], next: undefined } as const;

  async function payRefundAndRestore() {
    const before = bodyOf(await harness.pay(command(), newKey()));
    const input = { paymentId: String(before.paymentId), reference: 'return-1', amountMinor: 500 };
    const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: newKey() };
    bodyOf(await runOperation(harness, createRefundKind, caller, input));
    const [payCommand, key] = [command(), newKey()];
    const first = bodyOf(await harness.pay(payCommand, key));
    await restore(String(first.operationId));
    return { payCommand, first, again: () => harness.pay(payCommand, key) };
  }

  test.each([
    ['intents', { listCreated: emptyOf('payment_intent') }],
    ['refunds', { listCreated: emptyOf('refund') }],
    ['events', { listEvents: async () => empty }],
  ] as const)('of %s is not believed when it is empty', async (_, over) => {
    const { payCommand, first, again } = await payRefundAndRestore();
    const comparison = compare({ ...harness.provider, ...over });
    await expect(comparison).rejects.toThrow(/does not have .*_.* which is booked here/);
    expect(await again()).toMatchObject(comparing);
    expect(await compare()).toMatchObject({ eventsRefused: undefined });
    expect(bodyOf(await again())).toEqual(first);
    expect(await charges(payCommand.reference)).toHaveLength(1);
  });

  test('also when it is an older one, and the gap is a short one', async () => {
    const { again } = await payRefundAndRestore();
    const [now] = await harness.db.$queryRaw<{ soon: Date }[]>`SELECT now() + interval '1 hour' AS soon`;
    await harness.db.$executeRaw`UPDATE database_history SET seen_at = ${now?.soon}`;
    const comparison = compare({ ...harness.provider, listCreated: emptyOf('payment_intent') });
    await expect(comparison).rejects.toThrow('which is booked here');
    expect(await compare()).toMatchObject({ lostSince: now?.soon });
    bodyOf(await again());
    await harness.db.$executeRaw`DELETE FROM database_history WHERE seen_at = ${now?.soon}`;
  });

  test('because it is of another account is not believed, unless an operator says that it is another one', async () => {
    const { again } = await payRefundAndRestore();
    const elsewhere: PaymentProvider = {
      ...harness.provider,
      retrieveIntent: async () => ({ kind: 'rejected', code: 'resource_missing' }),
      findRefund: async () => undefined,
      listCreated: async () => empty,
      listEvents: async () => empty,
    };
    await expect(compare(elsewhere)).rejects.toThrow('the key of another account');
    expect(await again()).toMatchObject(comparing);
    expect(await skipGap(harness.db)).toBe(true);
    expect(await skipGap(harness.db)).toBe(false);
    expect(await compare(elsewhere)).toBeUndefined();
    bodyOf(await harness.pay(command(), newKey()));
    await openGap(harness.db, new Date('2026-01-01T00:00:00Z'));
    await compare();
  });

  function emptyOf(object: string): PaymentProvider['listCreated'] {
    return async (page) => (page.object === object ? empty : harness.provider.listCreated(page));
  }
});

test('a database in which nothing was ever booked is compared with empty lists', async () => {
  const fresh = await openPaymentHarness();
  try {
    await openGap(fresh.db, new Date());
    expect(await compareWith(fresh)).toMatchObject({ listed: 0, differed: 0, eventsRefused: undefined });
    bodyOf(await fresh.pay(command(), newKey()));
  } finally {
    await fresh.close();
  }
});

describe('the gap of a database', () => {
  const history = () => harness.db.databaseHistory.findMany({ orderBy: { seenAt: 'desc' } });

  test('begins when the old identity was last seen, and continues one that was not closed', async () => {
    await compare();
    const [seen] = await history();
    await harness.db.$executeRaw`DELETE FROM database_history WHERE identity <> database_identity()`;
    await harness.db.$executeRaw`UPDATE database_history SET identity = 'first'`;
    expect(await noteDatabase(harness.db)).toEqual({ lostSince: seen?.seenAt });
    await harness.db.$executeRaw`UPDATE database_history SET identity = 'second' WHERE identity <> 'first'`;
    expect(await noteDatabase(harness.db)).toEqual({ lostSince: seen?.seenAt });
    expect(await compare()).toMatchObject({ lostSince: seen?.seenAt });
    expect(await noteDatabase(harness.db)).toBeUndefined();
    expect((await history()).every(({ comparedAt }) => comparedAt !== null)).toBe(true);
  });

  test('can be opened by an operator, and is not closed by a comparison of less', async () => {
    const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-02-01T00:00:00Z')];
    await openGap(harness.db, late);
    const { listCreated } = harness.provider;
    const provider: PaymentProvider = {
      ...harness.provider,
      async listCreated(page) {
        await openGap(harness.db, early);
        return listCreated(page);
      },
    };
    expect(await compare(provider)).toBeUndefined();
    expect(await harness.pay(command(), newKey())).toMatchObject(comparing);
    expect(await compare()).toMatchObject({ lostSince: early });
    bodyOf(await harness.pay(command(), newKey()));
  });
});
