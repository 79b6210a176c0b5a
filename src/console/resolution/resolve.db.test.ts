import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Intent } from '#payments/index.ts';
import type { Assertion, OperationName, ProviderStateOf } from '#payments/operations/copy.ts';
import { newKey } from '#payments/testing/harness.ts';
import {
  type OperatorsHarness,
  openOperatorsHarness,
  person,
  type Script,
} from '../testing/operators-harness.ts';
import { approveProposal } from './decide-proposal.ts';
import { type Person, resolveOperation } from './resolve.ts';

let harness: OperatorsHarness;
let operator: Person;
beforeAll(async () => {
  harness = await openOperatorsHarness();
  operator = person(harness.tenantId, 'operator');
});
afterEach(() => {
  for (const name of Object.keys(harness.script)) delete harness.script[name as keyof Script];
});
afterAll(() => harness.close());

const reason = 'The bank statement says so.';

async function resolve(operationId: string, assertion: Assertion, who = operator) {
  const examined = await harness.services.assertions.examine(harness.refOf(operationId));
  return resolveOperation(harness.services, who, {
    operationId,
    assertion,
    reason,
    digest: examined?.digest ?? '',
  });
}

/** The real intent, reported in another state. */
function reportedAs(over: Partial<Intent>): Script {
  return {
    retrieve: (real) =>
      real.kind === 'responded' ? { kind: 'responded', intent: { ...real.intent, ...over } } : real,
  };
}

const charged = 'pm_fault_charged_500';
const notCharged = 'pm_fault_not_charged_500';
const refused = (why: string) => ({ resolution: { kind: 'refused', why }, after: 'unknown' });
const proposed = { resolution: { kind: 'proposed', proposalId: expect.any(String) }, after: 'unknown' };
const completed = (cause: string) => ({
  resolution: { kind: 'reconciled', found: { kind: 'completed', cause } },
  after: 'completed',
});
const released = {
  resolution: { kind: 'reconciled', found: { kind: 'released', cause: 'payment_canceled' } },
  after: 'failed_retryable',
};

interface Cell {
  state: ProviderStateOf<OperationName>;
  card: string;
  script: Script;
  assertion: Assertion;
  resolution: object;
  after: string;
}

/** Every combination of provider snapshot and assertion. */
const rows: [ProviderStateOf<OperationName>, card: string, Script, charged: object, notCharged: object][] = [
  ['succeeded', charged, {}, completed('provider_succeeded'), refused('provider_says_otherwise')],
  [
    'declined',
    notCharged,
    reportedAs({ state: 'declined', declineCode: 'do_not_honor' }),
    refused('provider_says_otherwise'),
    completed('provider_declined'),
  ],
  ['canceled', notCharged, reportedAs({ state: 'canceled' }), refused('provider_says_otherwise'), released],
  ['created', notCharged, {}, refused('never_confirmed'), released],
  ['requires_action', 'pm_card_threeDSecure2Required', {}, refused('not_charged_yet'), released],
  ['processing', charged, reportedAs({ state: 'processing' }), proposed, refused('cannot_be_canceled')],
  ['other', notCharged, reportedAs({ state: 'other' }), proposed, released],
  ['contradictory', charged, reportedAs({ amountMinor: 999 }), proposed, refused('money_moved')],
  [
    'no_response',
    charged,
    { retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) },
    proposed,
    refused('cannot_be_canceled'),
  ],
  [
    'refused',
    charged,
    { retrieve: () => ({ kind: 'rejected', code: 'resource_missing' }) },
    proposed,
    refused('cannot_be_canceled'),
  ],
];
const cells = rows.flatMap(([state, card, script, yes, not]) => [
  { state, card, script, assertion: 'charged', ...yes } as Cell,
  { state, card, script, assertion: 'not_charged', ...not } as Cell,
]);

describe('a payment', () => {
  test.each(cells)('the provider says $state, an operator asserts $assertion: $after', async (cell) => {
    const { command, operationId } = await harness.payUnknown(cell.card);
    Object.assign(harness.script, cell.script);
    expect(await harness.services.assertions.examine(harness.refOf(operationId))).toMatchObject({
      snapshot: { state: cell.state },
    });
    const before = await harness.sandbox.charges(command.reference);

    expect(await resolve(operationId, cell.assertion)).toEqual(cell.resolution);
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: cell.after });
    // An assertion moves no money.
    expect(await harness.sandbox.charges(command.reference)).toEqual(before);
  });

  test('no intent is recorded, so none can have been confirmed: “charged” is refused, and “not charged” releases the key and the reference', async () => {
    const { command, operationId } = await harness.payUnknown(notCharged);
    await harness.db.payment.updateMany({
      where: { tenantId: harness.tenantId, operationId },
      data: { providerIntentId: null },
    });
    expect(await harness.services.assertions.examine(harness.refOf(operationId))).toMatchObject({
      snapshot: { state: 'nothing_recorded' },
    });
    expect(await resolve(operationId, 'charged')).toEqual({ kind: 'refused', why: 'never_confirmed' });
    expect(await resolve(operationId, 'not_charged')).toEqual({
      kind: 'reconciled',
      found: { kind: 'released', cause: 'provider_unavailable' },
    });
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({
      status: 'failed_retryable',
    });
    const otherCard = await harness.pay({ ...command, paymentMethod: 'pm_card_visa' }, newKey());
    expect(otherCard).toMatchObject({ kind: 'completed' });
  });

  test('a cancel that comes too late: the provider’s state is written and returned instead of the assertion', async () => {
    const { command, operationId } = await harness.payUnknown(charged);
    // The operator saw an intent that was never confirmed; by the time of the cancel it has charged.
    Object.assign(harness.script, reportedAs({ state: 'created', chargeId: undefined }));
    expect(await resolve(operationId, 'not_charged')).toEqual(completed('provider_succeeded').resolution);
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'completed' });
    expect(await harness.sandbox.charges(command.reference)).toHaveLength(1);
  });

  test.each([
    ['gets no response', { kind: 'ambiguous', code: 'provider_timeout' } as const, 'provider_timeout'],
    ['leaves the intent open', undefined, 'not_confirmed'],
  ])('a cancel that %s releases nothing', async (_, response, code) => {
    const { operationId } = await harness.payUnknown(notCharged);
    const { providerIntentId } = await harness.db.payment.findFirstOrThrow({
      where: { tenantId: harness.tenantId, operationId },
    });
    harness.script.cancel = async () =>
      response ?? (await harness.realProvider.retrieveIntent(providerIntentId ?? ''));
    expect(await resolve(operationId, 'not_charged')).toMatchObject({
      kind: 'reconciled',
      found: { kind: 'still_unknown', code },
    });
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
  });

  test.each([{ amountMinor: 999 }, { currency: 'eur' }])(
    'charged with another amount or currency (%o): reconciliation does not book it',
    async (other) => {
      const { operationId } = await harness.payUnknown(charged);
      Object.assign(harness.script, reportedAs(other));
      expect(await harness.services.reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual({
        kind: 'still_unknown',
        code: 'contradictory',
      });
    },
  );

  test('an assertion on outdated evidence changes nothing', async () => {
    const { operationId } = await harness.payUnknown(charged);
    const ask = { operationId, assertion: 'charged', reason, digest: 'x'.repeat(64) } as const;
    expect(await resolveOperation(harness.services, operator, ask)).toEqual({ kind: 'evidence_changed' });
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
  });

  test('a proven assertion is in the event and in the audit log with its reason, in one commit', async () => {
    const { operationId } = await harness.payUnknown(charged);
    await resolve(operationId, 'charged');
    const event = await harness.db.idempotencyEvent.findFirst({
      where: { tenantId: harness.tenantId, recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({
      actor: `operator:${operator.userId}`,
      cause: 'provider_succeeded',
      evidence: { state: 'succeeded', assertion: 'charged', reason },
    });
    const entries = await harness.db.auditEntry.findMany({
      where: { tenantId: harness.tenantId, subjectId: operationId },
    });
    expect(entries).toMatchObject([
      {
        action: 'operation.assertion',
        reason,
        details: { assertion: 'charged', found: { kind: 'completed' } },
      },
    ]);
  });

  test('an operation that is not unknown, or an assertion of another kind of operation, changes nothing', async () => {
    const { operationId } = await harness.payUnknown(charged);
    expect(await resolve(operationId, 'refunded')).toEqual({ kind: 'refused', why: 'not_of_this_kind' });
    await harness.services.reconciler.reconcile(harness.refOf(operationId), 'poller');
    expect(await resolve(operationId, 'not_charged')).toEqual({ kind: 'nothing_to_do', status: 'completed' });
  });
});

const refund = (state: 'succeeded' | 'pending' | 'failed') => () =>
  ({
    kind: 'responded',
    refund: {
      ...{ id: 're_1', state, amountMinor: 1_000, currency: 'eur' },
      ...{ generation: 1, reference: 'return-1' },
    },
  }) as const;

const refundRows: [
  ProviderStateOf<OperationName>,
  made: boolean,
  Script,
  refunded: object,
  notRefunded: object,
][] = [
  ['refund_succeeded', true, {}, completed('provider_succeeded'), refused('provider_says_otherwise')],
  [
    'refund_failed',
    false,
    { findRefund: refund('failed') },
    refused('provider_says_otherwise'),
    {
      resolution: { kind: 'reconciled', found: { kind: 'released', cause: 'provider_rejected' } },
      after: 'failed_retryable',
    },
  ],
  ['refund_contradictory', true, { findRefund: refund('succeeded') }, proposed, refused('money_moved')],
  ['refund_pending', true, { findRefund: refund('pending') }, proposed, refused('cannot_be_canceled')],
  ['no_refund', true, { findRefund: () => undefined }, proposed, refused('absence_is_no_proof')],
  [
    'no_response',
    true,
    { findRefund: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) },
    proposed,
    refused('cannot_be_canceled'),
  ],
  [
    'refused',
    true,
    { findRefund: () => ({ kind: 'rejected', code: 'resource_missing' }) },
    proposed,
    refused('cannot_be_canceled'),
  ],
];
const refundCells = refundRows.flatMap(([state, made, script, yes, not]) => [
  { state, made, script, assertion: 'refunded', ...yes } as unknown as Omit<Cell, 'card'> & { made: boolean },
  { state, made, script, assertion: 'not_refunded', ...not } as unknown as Omit<Cell, 'card'> & {
    made: boolean;
  },
]);

describe('a refund', () => {
  test.each(refundCells)('the provider says $state, an operator asserts $assertion: $after', async (cell) => {
    const { operationId } = await harness.refundUnknown(cell.made);
    Object.assign(harness.script, cell.script);
    expect(await harness.services.assertions.examine(harness.refOf(operationId))).toMatchObject({
      snapshot: { state: cell.state },
    });
    expect(await resolve(operationId, cell.assertion)).toEqual(cell.resolution);
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: cell.after });
  });

  test.each<[string, Script['findRefund']]>([
    ['the provider gives no response', () => ({ kind: 'ambiguous', code: 'provider_timeout' })],
    ['the provider names another amount', refund('succeeded')],
  ])('%s; refunded by the assertion of two operators: booked and announced once', async (_, findRefund) => {
    const { paymentId, operationId } = await harness.refundUnknown(true);
    Object.assign(harness.script, { findRefund });
    const resolution = await resolve(operationId, 'refunded');
    if (resolution.kind !== 'proposed') throw new Error('expected a proposal');
    const approver = await harness.appoint('approver');
    const decided = await approveProposal(harness.services, approver, { id: resolution.proposalId });
    expect(decided).toEqual({ kind: 'approved' });
    const entries = await harness.db.ledgerEntry.findMany({
      where: { tenantId: harness.tenantId, paymentId, kind: 'refund' },
    });
    expect(entries.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-1200n, 1200n]);
    expect(
      await harness.db.outboxEvent.count({
        where: { tenantId: harness.tenantId, paymentId, type: 'refund.succeeded' },
      }),
    ).toBe(1);
  });
});

describe('two at once: one verdict is written, and the other caller gets the outcome', () => {
  test('two operators', async () => {
    const { command, operationId } = await harness.payUnknown(notCharged);
    const other = person(harness.tenantId, 'operator');
    const results = await Promise.all([
      resolve(operationId, 'not_charged'),
      resolve(operationId, 'not_charged', other),
    ]);
    const kinds = results.map((one) => (one.kind === 'reconciled' ? one.found.kind : one.kind));
    // The second one finds the operation released, or the intent canceled, which is other evidence than it asserted on.
    const [loser, winner] = kinds.toSorted();
    expect(winner).toBe('released');
    expect(['nothing_to_do', 'evidence_changed']).toContain(loser);
    const events = await harness.db.idempotencyEvent.count({
      where: { tenantId: harness.tenantId, recordId: operationId, toStatus: 'failed_retryable' },
    });
    expect(events).toBe(1);
    expect(await harness.sandbox.charges(command.reference)).toHaveLength(0);
  });

  test('an operator and a webhook', async () => {
    const { command, operationId } = await harness.payUnknown(charged);
    const [resolution, webhook] = await Promise.all([
      resolve(operationId, 'charged'),
      harness.services.reconciler.reconcile(harness.refOf(operationId), 'webhook:evt_1'),
    ]);
    const mine = resolution.kind === 'reconciled' ? resolution.found.kind : resolution.kind;
    expect([mine, webhook.kind].toSorted()).toEqual(['completed', 'nothing_to_do']);
    const outbox = await harness.db.outboxEvent.count({
      where: { tenantId: harness.tenantId, payment: { reference: command.reference } },
    });
    expect(outbox).toBe(1);
  });
});
