import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Intent } from '#payments/index.ts';
import { newKey } from '#payments/testing/harness.ts';
import type { Claim, Saying } from '#reconciliation/index.ts';
import { type OperatorsDesk, openDesk, person, type Script } from '../testing/operators-harness.ts';
import { approveProposal } from './decide-proposal.ts';
import { type Person, resolveOperation } from './resolve.ts';

let stand: OperatorsDesk;
let operator: Person;
beforeAll(async () => {
  stand = await openDesk();
  operator = person(stand.tenantId, 'operator');
});
afterEach(() => {
  for (const name of Object.keys(stand.script)) delete stand.script[name as keyof Script];
});
afterAll(() => stand.close());

const reason = 'The bank statement says so.';

async function resolve(operationId: string, claim: Claim, who = operator) {
  const seen = await stand.desk.verdicts.examine(operationId);
  return resolveOperation(stand.desk, who, { operationId, claim, reason, digest: seen?.digest ?? '' });
}

/** The real intent, said to be in another state. */
function saidToBe(over: Partial<Intent>): Script {
  return {
    retrieve: (real) =>
      real.kind === 'answered' ? { kind: 'answered', intent: { ...real.intent, ...over } } : real,
  };
}

const charged = 'pm_fault_charged_500';
const notCharged = 'pm_fault_not_charged_500';
const no = (why: string) => ({ resolution: { kind: 'refused', why }, after: 'unknown' });
const proposed = { resolution: { kind: 'proposed', proposalId: expect.any(String) }, after: 'unknown' };
const settled = (cause: string) => ({
  resolution: { kind: 'reconciled', found: { kind: 'settled', cause } },
  after: 'completed',
});
const released = {
  resolution: { kind: 'reconciled', found: { kind: 'released', cause: 'payment_fenced' } },
  after: 'failed_retryable',
};

interface Cell {
  says: Saying;
  card: string;
  script: Script;
  claim: Claim;
  resolution: object;
  after: string;
}

/** Every cell of the table: what the provider says × what a person claims. */
const rows: [Saying, card: string, Script, charged: object, notCharged: object][] = [
  ['succeeded', charged, {}, settled('provider_succeeded'), no('provider_says_otherwise')],
  [
    'declined',
    notCharged,
    saidToBe({ state: 'declined', declineCode: 'do_not_honor' }),
    no('provider_says_otherwise'),
    settled('provider_declined'),
  ],
  ['canceled', notCharged, saidToBe({ state: 'canceled' }), no('provider_says_otherwise'), released],
  ['created', notCharged, {}, no('never_confirmed'), released],
  ['requires_action', 'pm_card_threeDSecure2Required', {}, no('not_charged_yet'), released],
  ['processing', charged, saidToBe({ state: 'processing' }), proposed, no('cannot_be_fenced')],
  ['other', notCharged, saidToBe({ state: 'other' }), proposed, released],
  ['contradictory', charged, saidToBe({ amountMinor: 999 }), proposed, no('money_moved')],
  [
    'silent',
    charged,
    { retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) },
    proposed,
    no('cannot_be_fenced'),
  ],
  [
    'refused',
    charged,
    { retrieve: () => ({ kind: 'rejected', code: 'resource_missing' }) },
    proposed,
    no('cannot_be_fenced'),
  ],
];
const cells = rows.flatMap(([says, card, script, yes, not]) => [
  { says, card, script, claim: 'charged', ...yes } as Cell,
  { says, card, script, claim: 'not_charged', ...not } as Cell,
]);

describe('a payment', () => {
  test.each(cells)('the provider says $says, a person says $claim: $after', async (cell) => {
    const { wish, operationId } = await stand.payInto(cell.card);
    Object.assign(stand.script, cell.script);
    expect(await stand.desk.verdicts.examine(operationId)).toMatchObject({ sighting: { says: cell.says } });
    const before = await stand.sandbox.charges(wish.reference);

    expect(await resolve(operationId, cell.claim)).toEqual(cell.resolution);
    expect(await stand.store.findById(operationId)).toMatchObject({ status: cell.after });
    // Whatever a person says, no money moves by it.
    expect(await stand.sandbox.charges(wish.reference)).toEqual(before);
  });

  test('nothing is recorded: the create is sent again under its old key and fenced, and nobody may say it charged', async () => {
    const { operationId } = await stand.payInto(notCharged);
    await stand.db.payment.update({ where: { operationId }, data: { providerIntentId: null } });
    expect(await resolve(operationId, 'charged')).toEqual({ kind: 'refused', why: 'never_confirmed' });
    expect(await resolve(operationId, 'not_charged')).toEqual(released.resolution);
  });

  test('nothing is recorded and the provider refuses to make it: “not charged” ends it, and the reference is free', async () => {
    await stand.sandbox.control('outage', { on: true, mode: '503' });
    const { wish, operationId } = await stand
      .payInto('pm_does_not_exist')
      .finally(() => stand.sandbox.control('outage', { on: false }));
    expect(await stand.desk.verdicts.examine(operationId)).toMatchObject({
      sighting: { says: 'nothing_recorded' },
    });
    expect(await resolve(operationId, 'charged')).toEqual({ kind: 'refused', why: 'never_confirmed' });
    expect(await resolve(operationId, 'not_charged')).toEqual({
      kind: 'reconciled',
      found: { kind: 'released', cause: 'provider_rejected' },
    });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'failed_retryable' });
    const otherCard = await stand.pay({ ...wish, paymentMethod: 'pm_card_visa' }, newKey());
    expect(otherCard).toMatchObject({ kind: 'answered' });
  });

  test('a cancel that comes too late: the truth wins over what the person said, and they are told', async () => {
    const { wish, operationId } = await stand.payInto(charged);
    // What the person saw was never confirmed; by the time of the cancel it has charged.
    Object.assign(stand.script, saidToBe({ state: 'created', chargeId: undefined }));
    expect(await resolve(operationId, 'not_charged')).toEqual(settled('provider_succeeded').resolution);
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'completed' });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test.each([
    ['is not answered', { kind: 'ambiguous', code: 'provider_timeout' } as const, 'provider_timeout'],
    ['is answered with an intent that lives on', undefined, 'not_confirmed'],
  ])('a cancel that %s releases nothing', async (_, answer, code) => {
    const { operationId } = await stand.payInto(notCharged);
    const { providerIntentId } = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
    stand.script.cancel = async () =>
      answer ?? (await stand.realProvider.retrieveIntent(providerIntentId ?? ''));
    expect(await resolve(operationId, 'not_charged')).toMatchObject({
      kind: 'reconciled',
      found: { kind: 'still_unknown', code },
    });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
  });

  test.each([{ amountMinor: 999 }, { currency: 'eur' }])(
    'charged, but not what was asked for (%o): no machine books it',
    async (other) => {
      const { operationId } = await stand.payInto(charged);
      Object.assign(stand.script, saidToBe(other));
      expect(await stand.desk.reconciler.reconcile(operationId, 'poller')).toEqual({
        kind: 'still_unknown',
        code: 'contradictory',
      });
    },
  );

  test('one decides on what one sees: other evidence than on the screen, and nothing happens', async () => {
    const { operationId } = await stand.payInto(charged);
    const ask = { operationId, claim: 'charged', reason, digest: 'x'.repeat(64) } as const;
    expect(await resolveOperation(stand.desk, operator, ask)).toEqual({ kind: 'evidence_changed' });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
  });

  test('a proven verdict leaves reason and claim in the event and in the log, in one commit', async () => {
    const { operationId } = await stand.payInto(charged);
    await resolve(operationId, 'charged');
    const event = await stand.db.idempotencyEvent.findFirst({
      where: { recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({
      actor: `operator:${operator.userId}`,
      cause: 'provider_succeeded',
      evidence: { state: 'succeeded', verdict: 'charged', reason },
    });
    const entries = await stand.db.auditEntry.findMany({ where: { subjectId: operationId } });
    expect(entries).toMatchObject([
      { action: 'operation.verdict', reason, details: { verdict: 'charged', found: { kind: 'settled' } } },
    ]);
  });

  test('what is not unknown, and what nobody could claim of it, is left alone', async () => {
    const { operationId } = await stand.payInto(charged);
    expect(await resolve(operationId, 'refunded')).toEqual({ kind: 'refused', why: 'not_of_this_kind' });
    await stand.desk.reconciler.reconcile(operationId, 'poller');
    expect(await resolve(operationId, 'not_charged')).toEqual({ kind: 'nothing_to_do', status: 'completed' });
  });
});

const refund = (state: 'succeeded' | 'pending' | 'failed') => () =>
  ({ kind: 'answered', refund: { id: 're_1', state, amountMinor: 1_000, currency: 'eur' } }) as const;

const refundRows: [Saying, made: boolean, Script, refunded: object, notRefunded: object][] = [
  ['refund_succeeded', true, {}, settled('provider_succeeded'), no('provider_says_otherwise')],
  [
    'refund_failed',
    false,
    { findRefund: refund('failed') },
    no('provider_says_otherwise'),
    {
      resolution: { kind: 'reconciled', found: { kind: 'released', cause: 'provider_rejected' } },
      after: 'failed_retryable',
    },
  ],
  ['refund_contradictory', true, { findRefund: refund('succeeded') }, proposed, no('money_moved')],
  ['refund_pending', true, { findRefund: refund('pending') }, proposed, no('cannot_be_fenced')],
  ['no_refund', true, { findRefund: () => undefined }, proposed, no('absence_is_no_proof')],
  [
    'silent',
    true,
    { findRefund: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) },
    proposed,
    no('cannot_be_fenced'),
  ],
  [
    'refused',
    true,
    { findRefund: () => ({ kind: 'rejected', code: 'resource_missing' }) },
    proposed,
    no('cannot_be_fenced'),
  ],
];
const refundCells = refundRows.flatMap(([says, made, script, yes, not]) => [
  { says, made, script, claim: 'refunded', ...yes } as unknown as Omit<Cell, 'card'> & { made: boolean },
  { says, made, script, claim: 'not_refunded', ...not } as unknown as Omit<Cell, 'card'> & { made: boolean },
]);

describe('a refund', () => {
  test.each(refundCells)('the provider says $says, a person says $claim: $after', async (cell) => {
    const { operationId } = await stand.refundInto(cell.made);
    Object.assign(stand.script, cell.script);
    expect(await stand.desk.verdicts.examine(operationId)).toMatchObject({ sighting: { says: cell.says } });
    expect(await resolve(operationId, cell.claim)).toEqual(cell.resolution);
    expect(await stand.store.findById(operationId)).toMatchObject({ status: cell.after });
  });

  test.each<[string, Script['findRefund']]>([
    ['the provider gives no answer', () => ({ kind: 'ambiguous', code: 'provider_timeout' })],
    ['the provider names another amount', refund('succeeded')],
  ])('%s; paid back on the word of two people: booked and told of once', async (_, findRefund) => {
    const { paymentId, operationId } = await stand.refundInto(true);
    Object.assign(stand.script, { findRefund });
    const told = await resolve(operationId, 'refunded');
    if (told.kind !== 'proposed') throw new Error('expected a proposal');
    const approver = person(stand.tenantId, 'approver');
    const decided = await approveProposal(stand.desk, approver, { id: told.proposalId });
    expect(decided).toEqual({ kind: 'approved' });
    const entries = await stand.db.ledgerEntry.findMany({ where: { paymentId, kind: 'refund' } });
    expect(entries.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-1200n, 1200n]);
    expect(await stand.db.outboxEvent.count({ where: { paymentId, type: 'refund.succeeded' } })).toBe(1);
  });
});

describe('two at once: one verdict, and the other is told what became of it', () => {
  test('two operators', async () => {
    const { wish, operationId } = await stand.payInto(notCharged);
    const other = person(stand.tenantId, 'operator');
    const told = await Promise.all([
      resolve(operationId, 'not_charged'),
      resolve(operationId, 'not_charged', other),
    ]);
    const kinds = told.map((one) => (one.kind === 'reconciled' ? one.found.kind : one.kind));
    // Whoever comes second finds it done, or, a moment earlier, fenced: no longer what was on their screen.
    const [loser, winner] = kinds.toSorted();
    expect(winner).toBe('released');
    expect(['nothing_to_do', 'evidence_changed']).toContain(loser);
    const events = await stand.db.idempotencyEvent.count({
      where: { recordId: operationId, toStatus: 'failed_retryable' },
    });
    expect(events).toBe(1);
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(0);
  });

  test('an operator and a webhook', async () => {
    const { wish, operationId } = await stand.payInto(charged);
    const [told, webhook] = await Promise.all([
      resolve(operationId, 'charged'),
      stand.desk.reconciler.reconcile(operationId, 'webhook:evt_1'),
    ]);
    const mine = told.kind === 'reconciled' ? told.found.kind : told.kind;
    expect([mine, webhook.kind].toSorted()).toEqual(['nothing_to_do', 'settled']);
    const outbox = await stand.db.outboxEvent.count({ where: { payment: { reference: wish.reference } } });
    expect(outbox).toBe(1);
  });
});
