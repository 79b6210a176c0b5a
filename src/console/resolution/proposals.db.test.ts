import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createPaymentInvestigator, createReconciler } from '#reconciliation/index.ts';
import { type OperatorsDesk, openDesk, person, type Script } from '../testing/operators-harness.ts';
import { approveProposal, rejectProposal, withdrawProposal } from './decide-proposal.ts';
import { type Person, resolveOperation } from './resolve.ts';

let stand: OperatorsDesk;
let operator: Person;
let approver: Person;
beforeAll(async () => {
  stand = await openDesk();
  operator = person(stand.tenantId, 'operator');
  approver = person(stand.tenantId, 'approver');
});
afterEach(async () => {
  for (const name of Object.keys(stand.script)) delete stand.script[name as keyof Script];
  await stand.db.tenantSettings.deleteMany();
});
afterAll(() => stand.close());

const reason = 'The bank statement of 14 November shows it.';
const silence = (): Script => ({ retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) });

async function claimCharged(operationId: string, who = operator) {
  const seen = await stand.desk.verdicts.examine(operationId);
  return resolveOperation(stand.desk, who, {
    operationId,
    claim: 'charged',
    reason,
    digest: seen?.digest ?? '',
  });
}

/** A charge whose answer was lost, at a provider that cannot be asked, and an operator with a bank statement. */
async function propose(who = operator) {
  const paid = await stand.payInto('pm_fault_charged_500');
  Object.assign(stand.script, silence());
  const told = await claimCharged(paid.operationId, who);
  if (told.kind !== 'proposed') throw new Error(`Expected a proposal, got ${JSON.stringify(told)}`);
  return { ...paid, id: told.proposalId };
}

const find = (id: string) => stand.db.verdictProposal.findUniqueOrThrow({ where: { id } });
const statusOf = async (operationId: string) => (await stand.store.findById(operationId))?.status;
const deeds = async (operationId: string) =>
  (await stand.db.auditEntry.findMany({ where: { subjectId: operationId }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

describe('a second person agrees', () => {
  test('the payment is booked like any other, marked as a verdict of people', async () => {
    const { wish, key, operationId, id } = await propose();
    expect(await approveProposal(stand.desk, approver, { id, note: 'Seen it too.' })).toEqual({
      kind: 'approved',
    });
    const payment = await stand.db.payment.findUniqueOrThrow({
      where: { operationId },
      include: { ledger: true, events: true },
    });
    expect(payment).toMatchObject({
      status: 'succeeded',
      providerChargeId: null,
      events: [{ type: 'payment.succeeded' }],
    });
    expect(payment.ledger.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-1200n, 1200n]);
    const event = await stand.db.idempotencyEvent.findFirst({
      where: { recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({
      actor: `operator:${approver.userId}`,
      cause: 'operator_verdict',
      evidence: {
        verdict: 'charged',
        reason,
        proposal: id,
        proposedBy: `operator:${operator.userId}`,
        provider: { says: 'silent' },
      },
    });
    expect(await find(id)).toMatchObject({ status: 'approved', decidedById: approver.userId });
    expect(await deeds(operationId)).toEqual(['proposal.open', 'proposal.approve']);
    expect(await stand.pay(wish, key)).toMatchObject({ kind: 'answered', replayed: true });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('the proposer is not a second person: not by the code, and not by the database', async () => {
    const { operationId, id } = await propose(approver);
    expect(await approveProposal(stand.desk, approver, { id })).toEqual({ kind: 'own_proposal' });
    expect(await rejectProposal(stand.desk, approver, { id, note: 'no' })).toEqual({ kind: 'own_proposal' });
    const forged = stand.db.verdictProposal.update({
      where: { id },
      data: { status: 'approved', decidedAt: new Date(), decidedById: approver.userId },
    });
    await expect(forged).rejects.toThrow('verdict_proposal_four_eyes');
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('another tenant’s approver finds nothing', async () => {
    const { operationId, id } = await propose();
    const stranger = person('another tenant', 'owner');
    expect(await approveProposal(stand.desk, stranger, { id })).toEqual({ kind: 'missing' });
    expect(await rejectProposal(stand.desk, stranger, { id, note: 'no' })).toEqual({ kind: 'missing' });
    expect(await statusOf(operationId)).toBe('unknown');
  });
});

describe('the evidence changed since', () => {
  test('to another that proves nothing: the proposal is void, and nothing else happens', async () => {
    const { operationId, id } = await propose();
    Object.assign(stand.script, {
      retrieve: (real: { kind: string; intent?: object }) => ({
        ...real,
        intent: { ...real.intent, state: 'processing' },
      }),
    });
    expect(await approveProposal(stand.desk, approver, { id })).toMatchObject({
      kind: 'void',
      now: { says: 'processing' },
      reconciled: null,
    });
    expect(await find(id)).toMatchObject({ status: 'void', decisionEvidence: { says: 'processing' } });
    expect(await statusOf(operationId)).toBe('unknown');
    expect(await deeds(operationId)).toEqual(['proposal.open', 'proposal.void']);
    // The next proposal is about the evidence of now.
    expect(await claimCharged(operationId)).toMatchObject({ kind: 'proposed' });
  });

  test('to one that proves the outcome: void, and the ordinary reconciliation takes over', async () => {
    const { wish, operationId, id } = await propose();
    stand.script.retrieve = (real) => real;
    expect(await approveProposal(stand.desk, approver, { id })).toMatchObject({
      kind: 'void',
      now: { says: 'succeeded' },
      reconciled: { kind: 'settled', cause: 'provider_succeeded' },
    });
    expect(await find(id)).toMatchObject({ status: 'void' });
    const event = await stand.db.idempotencyEvent.findFirst({
      where: { recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({ cause: 'provider_succeeded' });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('silence of another kind is the same silence', async () => {
    const { id } = await propose();
    stand.script.retrieve = () => ({ kind: 'not_executed', code: 'provider_unreachable' });
    expect(await approveProposal(stand.desk, approver, { id })).toEqual({ kind: 'approved' });
  });
});

describe('races', () => {
  test('approval against the poller: one verdict, booked once', async () => {
    const { wish, operationId, id } = await propose();
    // The poller's own question gets through; the approver's does not.
    const { store, engine, db, realProvider } = stand;
    const investigators = [createPaymentInvestigator({ db, provider: realProvider })];
    const poller = createReconciler({ store, engine, investigators });
    const [approved, polled] = await Promise.all([
      approveProposal(stand.desk, approver, { id }),
      poller.reconcile(operationId, 'poller'),
    ]);
    expect([approved.kind, polled.kind].toSorted()).toEqual(
      polled.kind === 'settled' ? ['not_open', 'settled'] : ['approved', 'nothing_to_do'],
    );
    expect(await find(id)).toMatchObject({ status: polled.kind === 'settled' ? 'void' : 'approved' });
    const outbox = await stand.db.outboxEvent.count({ where: { payment: { reference: wish.reference } } });
    expect(outbox).toBe(1);
  });

  test('two approvers at once: one approves, the other is told', async () => {
    const { wish, id } = await propose();
    const another = person(stand.tenantId, 'owner');
    const told = await Promise.all([
      approveProposal(stand.desk, approver, { id }),
      approveProposal(stand.desk, another, { id }),
    ]);
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(['approved', 'not_open']);
    const outbox = await stand.db.outboxEvent.count({ where: { payment: { reference: wish.reference } } });
    expect(outbox).toBe(1);
  });

  test('rejected while the approval asks the provider: nothing of the approval stays', async () => {
    const { operationId, id } = await propose();
    const another = person(stand.tenantId, 'approver');
    stand.script.retrieve = async () => {
      await rejectProposal(stand.desk, another, { id, note: 'Not on my statement.' });
      return { kind: 'ambiguous', code: 'provider_timeout' };
    };
    expect(await approveProposal(stand.desk, approver, { id })).toEqual({
      kind: 'not_open',
      status: 'rejected',
    });
    expect(await statusOf(operationId)).toBe('unknown');
    const payment = await stand.db.payment.findUniqueOrThrow({
      where: { operationId },
      include: { ledger: true },
    });
    expect(payment).toMatchObject({ status: 'pending', ledger: [] });
    expect(await deeds(operationId)).toEqual(['proposal.open', 'proposal.reject']);
  });

  test('approved and rejected at once: one of them, and the operation agrees with it', async () => {
    const { operationId, id } = await propose();
    const another = person(stand.tenantId, 'approver');
    const told = await Promise.all([
      approveProposal(stand.desk, approver, { id }),
      rejectProposal(stand.desk, another, { id, note: 'Not on my statement.' }),
    ]);
    const { status } = await find(id);
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(['not_open', status].toSorted());
    expect(await statusOf(operationId)).toBe(status === 'approved' ? 'completed' : 'unknown');
  });

  test('proposed by five at once: one is open', async () => {
    const { operationId } = await stand.payInto('pm_fault_charged_500');
    Object.assign(stand.script, silence());
    const told = await Promise.all(Array.from({ length: 5 }, () => claimCharged(operationId)));
    expect(told.filter(({ kind }) => kind === 'proposed')).toHaveLength(1);
    expect(told.filter(({ kind }) => kind === 'already_proposed')).toHaveLength(4);
  });
});

describe('without a second person', () => {
  const alone = () => stand.db.tenantSettings.create({ data: { tenantId: stand.tenantId, fourEyes: false } });

  test('an approver overrides alone where the tenant says so, with reason, evidence and an entry in the log', async () => {
    const { wish, operationId } = await stand.payInto('pm_fault_charged_500');
    Object.assign(stand.script, silence());
    await alone();
    expect(await claimCharged(operationId, approver)).toEqual({ kind: 'overruled' });
    const event = await stand.db.idempotencyEvent.findFirst({
      where: { recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({ cause: 'operator_verdict', evidence: { reason, fourEyes: false } });
    expect(await deeds(operationId)).toEqual(['operation.override']);
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('an operator still cannot', async () => {
    const { operationId } = await stand.payInto('pm_fault_charged_500');
    Object.assign(stand.script, silence());
    await alone();
    expect(await claimCharged(operationId, operator)).toEqual({ kind: 'takes_an_approver' });
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('a proposal left from before is void then', async () => {
    const { operationId, id } = await propose();
    await alone();
    expect(await claimCharged(operationId, approver)).toEqual({ kind: 'overruled' });
    expect(await find(id)).toMatchObject({ status: 'void' });
  });
});

describe('a proposal', () => {
  test('is withdrawn by who made it and by nobody else', async () => {
    const { operationId, id } = await propose();
    expect(await withdrawProposal(stand.desk, approver, { id })).toEqual({ kind: 'not_yours' });
    expect(await withdrawProposal(stand.desk, operator, { id })).toEqual({ kind: 'withdrawn' });
    expect(await approveProposal(stand.desk, approver, { id })).toEqual({
      kind: 'not_open',
      status: 'withdrawn',
    });
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('is void as soon as the truth comes by itself', async () => {
    const { operationId, id } = await propose();
    stand.script.retrieve = (real) => real;
    await stand.desk.reconciler.reconcile(operationId, 'webhook:evt_7');
    expect(await find(id)).toMatchObject({
      status: 'void',
      note: 'Settled meanwhile by webhook:evt_7: provider_succeeded',
    });
  });

  test.each([
    ['what was proposed changes', `UPDATE verdict_proposal SET reason = 'another' WHERE id = `],
    ['it is deleted', 'DELETE FROM verdict_proposal WHERE id = '],
    ['it becomes a release', `UPDATE verdict_proposal SET verdict = 'not_charged' WHERE id = `],
  ])('stays as it was proposed: the database refuses when %s', async (_, sql) => {
    const { id } = await propose();
    await expect(stand.db.$executeRawUnsafe(`${sql}'${id}'`)).rejects.toThrow();
  });

  test('stays decided', async () => {
    const { id } = await propose();
    await rejectProposal(stand.desk, approver, { id, note: 'Not on my statement.' });
    const reopened = stand.db.verdictProposal.update({
      where: { id },
      data: { status: 'open', decidedAt: null },
    });
    await expect(reopened).rejects.toThrow('stays decided');
  });
});
