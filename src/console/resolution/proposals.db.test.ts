import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createPaymentKind } from '#payments/index.ts';
import { createReconciler } from '#reconciliation/index.ts';
import { RoleLost } from '../members/membership.ts';
import {
  type OperatorsHarness,
  openOperatorsHarness,
  person,
  type Script,
} from '../testing/operators-harness.ts';
import { approveProposal, rejectProposal, withdrawProposal } from './decide-proposal.ts';
import { type Person, resolveOperation } from './resolve.ts';

let harness: OperatorsHarness;
let operator: Person;
let approver: Person;
beforeAll(async () => {
  harness = await openOperatorsHarness();
  operator = person(harness.tenantId, 'operator');
  approver = await harness.appoint('approver');
});
afterEach(async () => {
  for (const name of Object.keys(harness.script)) delete harness.script[name as keyof Script];
  await harness.db.tenantSettings.deleteMany();
});
afterAll(() => harness.close());

const reason = 'The bank statement of 14 November shows it.';
const silence = (): Script => ({ retrieve: () => ({ kind: 'ambiguous', code: 'provider_timeout' }) });

async function assertCharged(operationId: string, who = operator) {
  const examined = await harness.services.assertions.examine(harness.refOf(operationId));
  return resolveOperation(harness.services, who, {
    operationId,
    assertion: 'charged',
    reason,
    digest: examined?.digest ?? '',
  });
}

/** A charge whose response was lost, at a provider that does not respond, and an operator with a bank statement. */
async function propose(who = operator) {
  const paid = await harness.payUnknown('pm_fault_charged_500');
  Object.assign(harness.script, silence());
  const resolution = await assertCharged(paid.operationId, who);
  if (resolution.kind !== 'proposed')
    throw new Error(`Expected a proposal, got ${JSON.stringify(resolution)}`);
  return { ...paid, id: resolution.proposalId };
}

const find = (id: string) => harness.db.resolutionProposal.findUniqueOrThrow({ where: { id } });
const statusOf = async (operationId: string) =>
  (await harness.store.findById(harness.refOf(operationId)))?.status;
const entries = async (operationId: string) =>
  (
    await harness.db.auditEntry.findMany({
      where: { tenantId: harness.tenantId, subjectId: operationId },
      orderBy: { id: 'asc' },
    })
  ).map(({ action }) => action);

describe('a second operator approves', () => {
  test('the payment is booked like any other, with the cause operator_override', async () => {
    const { command, key, operationId, id } = await propose();
    expect(await approveProposal(harness.services, approver, { id, note: 'Seen it too.' })).toEqual({
      kind: 'approved',
    });
    const payment = await harness.db.payment.findFirstOrThrow({
      where: { tenantId: harness.tenantId, operationId },
      include: { ledger: true, events: true },
    });
    expect(payment).toMatchObject({
      status: 'succeeded',
      providerChargeId: null,
      events: [{ type: 'payment.succeeded' }],
    });
    expect(payment.ledger.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-1200n, 1200n]);
    const event = await harness.db.idempotencyEvent.findFirst({
      where: { tenantId: harness.tenantId, recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({
      actor: `operator:${approver.userId}`,
      cause: 'operator_override',
      evidence: {
        assertion: 'charged',
        reason,
        proposal: id,
        proposedBy: `operator:${operator.userId}`,
        provider: { state: 'no_response' },
      },
    });
    expect(await find(id)).toMatchObject({ status: 'approved', decidedById: approver.userId });
    expect(await entries(operationId)).toEqual(['proposal.open', 'proposal.approve']);
    expect(await harness.pay(command, key)).toMatchObject({ kind: 'completed', replayed: true });
    expect(await harness.sandbox.charges(command.reference)).toHaveLength(1);
  });

  test('neither the code nor the database accepts the proposer as second operator', async () => {
    const { operationId, id } = await propose(approver);
    expect(await approveProposal(harness.services, approver, { id })).toEqual({ kind: 'own_proposal' });
    expect(await rejectProposal(harness.services, approver, { id, note: 'no' })).toEqual({
      kind: 'own_proposal',
    });
    const forged = harness.db.resolutionProposal.update({
      where: { id },
      data: { status: 'approved', decidedAt: new Date(), decidedById: approver.userId },
    });
    await expect(forged).rejects.toThrow('resolution_proposal_four_eyes');
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('a member who became an approver less than a day ago cannot approve, by the code and by the database', async () => {
    const { tenantId } = harness;
    const newcomer = { ...person(tenantId, 'approver'), userId: 'newcomer', email: 'newcomer@example.com' };
    const { userId, email } = newcomer;
    await harness.db.user.create({ data: { id: userId, email, name: 'New' } });
    await harness.db.member.create({
      data: { id: userId, organizationId: tenantId, userId, role: 'approver', joinedBy: 'shown_link' },
    });
    const { id, operationId } = await propose();
    expect(await approveProposal(harness.services, newcomer, { id })).toMatchObject({ kind: 'too_new' });
    await expect(
      harness.db.resolutionProposal.update({
        where: { id },
        data: { status: 'approved', decidedById: userId, decidedByEmail: email, decidedAt: new Date() },
      }),
    ).rejects.toThrow('may not approve');
    expect(await statusOf(operationId)).toBe('unknown');

    await harness.db.$executeRaw`
      UPDATE member SET approves_from = approves_from - interval '24 hours' WHERE id = ${userId}`;
    expect(await approveProposal(harness.services, newcomer, { id })).toEqual({ kind: 'approved' });
  });

  test.each([
    ['removed', (id: string) => harness.db.member.deleteMany({ where: { id } })],
    ['demoted', (id: string) => harness.db.member.updateMany({ where: { id }, data: { role: 'operator' } })],
  ])(
    'an approver who is %s while the provider is asked approves nothing, by the code and by the database',
    async (_, loseRole) => {
      const leaving = await harness.appoint('approver');
      const { id, operationId } = await propose();
      harness.script.retrieve = async () => {
        await loseRole(leaving.userId);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      };
      await expect(approveProposal(harness.services, leaving, { id })).rejects.toThrow(RoleLost);
      const { needs: __, ...withoutCheck } = leaving;
      await expect(approveProposal(harness.services, withoutCheck, { id })).rejects.toThrow(
        'may not approve',
      );
      expect(await find(id)).toMatchObject({ status: 'open' });
      expect(await statusOf(operationId)).toBe('unknown');
    },
  );

  test('another tenant’s approver finds nothing', async () => {
    const { operationId, id } = await propose();
    const stranger = person('another tenant', 'owner');
    expect(await approveProposal(harness.services, stranger, { id })).toEqual({ kind: 'missing' });
    expect(await rejectProposal(harness.services, stranger, { id, note: 'no' })).toEqual({ kind: 'missing' });
    expect(await statusOf(operationId)).toBe('unknown');
  });
});

describe('the evidence has changed since the proposal', () => {
  test('and proves nothing: the proposal is void, and nothing else happens', async () => {
    const { operationId, id } = await propose();
    Object.assign(harness.script, {
      retrieve: (real: { kind: string; intent?: object }) => ({
        ...real,
        intent: { ...real.intent, state: 'processing' },
      }),
    });
    expect(await approveProposal(harness.services, approver, { id })).toMatchObject({
      kind: 'void',
      now: { state: 'processing' },
      reconciled: null,
    });
    expect(await find(id)).toMatchObject({ status: 'void', decisionEvidence: { state: 'processing' } });
    expect(await statusOf(operationId)).toBe('unknown');
    expect(await entries(operationId)).toEqual(['proposal.open', 'proposal.void']);
    // The next proposal is about the present evidence.
    expect(await assertCharged(operationId)).toMatchObject({ kind: 'proposed' });
  });

  test('and proves the outcome: the proposal is void, and the operation is reconciled', async () => {
    const { command, operationId, id } = await propose();
    harness.script.retrieve = (real) => real;
    expect(await approveProposal(harness.services, approver, { id })).toMatchObject({
      kind: 'void',
      now: { state: 'succeeded' },
      reconciled: { kind: 'completed', cause: 'provider_succeeded' },
    });
    expect(await find(id)).toMatchObject({ status: 'void' });
    const event = await harness.db.idempotencyEvent.findFirst({
      where: { tenantId: harness.tenantId, recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({ cause: 'provider_succeeded' });
    expect(await harness.sandbox.charges(command.reference)).toHaveLength(1);
  });

  test('another failure to reach the provider is the same evidence', async () => {
    const { id } = await propose();
    harness.script.retrieve = () => ({ kind: 'not_executed', code: 'provider_unreachable' });
    expect(await approveProposal(harness.services, approver, { id })).toEqual({ kind: 'approved' });
  });
});

describe('races', () => {
  test('approval against the poller: one verdict, booked once', async () => {
    const { command, operationId, id } = await propose();
    // The poller's check gets a response; the approver's does not.
    const { store, engine, db, realProvider } = harness;
    const investigators = [createPaymentKind.createInvestigator({ db, provider: realProvider })];
    const poller = createReconciler({ store, engine, investigators });
    const [approved, polled] = await Promise.all([
      approveProposal(harness.services, approver, { id }),
      poller.reconcile(harness.refOf(operationId), 'poller'),
    ]);
    expect([approved.kind, polled.kind].toSorted()).toEqual(
      polled.kind === 'completed' ? ['completed', 'not_open'] : ['approved', 'nothing_to_do'],
    );
    expect(await find(id)).toMatchObject({ status: polled.kind === 'completed' ? 'void' : 'approved' });
    const outbox = await harness.db.outboxEvent.count({
      where: { tenantId: harness.tenantId, payment: { reference: command.reference } },
    });
    expect(outbox).toBe(1);
  });

  test('two approvers at once: one approves, the other gets not_open', async () => {
    const { command, id } = await propose();
    const another = await harness.appoint('owner');
    const results = await Promise.all([
      approveProposal(harness.services, approver, { id }),
      approveProposal(harness.services, another, { id }),
    ]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['approved', 'not_open']);
    const outbox = await harness.db.outboxEvent.count({
      where: { tenantId: harness.tenantId, payment: { reference: command.reference } },
    });
    expect(outbox).toBe(1);
  });

  test('rejected while the approval asks the provider: the approval is rolled back', async () => {
    const { operationId, id } = await propose();
    const another = person(harness.tenantId, 'approver');
    harness.script.retrieve = async () => {
      await rejectProposal(harness.services, another, { id, note: 'Not on my statement.' });
      return { kind: 'ambiguous', code: 'provider_timeout' };
    };
    expect(await approveProposal(harness.services, approver, { id })).toEqual({
      kind: 'not_open',
      status: 'rejected',
    });
    expect(await statusOf(operationId)).toBe('unknown');
    const payment = await harness.db.payment.findFirstOrThrow({
      where: { tenantId: harness.tenantId, operationId },
      include: { ledger: true },
    });
    expect(payment).toMatchObject({ status: 'pending', ledger: [] });
    expect(await entries(operationId)).toEqual(['proposal.open', 'proposal.reject']);
  });

  test('approved and rejected at once: one decision wins, and the operation agrees with it', async () => {
    const { operationId, id } = await propose();
    const another = person(harness.tenantId, 'approver');
    const results = await Promise.all([
      approveProposal(harness.services, approver, { id }),
      rejectProposal(harness.services, another, { id, note: 'Not on my statement.' }),
    ]);
    const { status } = await find(id);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['not_open', status].toSorted());
    expect(await statusOf(operationId)).toBe(status === 'approved' ? 'completed' : 'unknown');
  });

  test('five proposals at once: one is open', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    Object.assign(harness.script, silence());
    const results = await Promise.all(Array.from({ length: 5 }, () => assertCharged(operationId)));
    expect(results.filter(({ kind }) => kind === 'proposed')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'already_proposed')).toHaveLength(4);
  });
});

describe('without a second operator', () => {
  const alone = () =>
    harness.db.tenantSettings.create({ data: { tenantId: harness.tenantId, fourEyes: false } });

  test('an approver overrides alone where the tenant says so, with reason, evidence and an entry in the log', async () => {
    const { command, operationId } = await harness.payUnknown('pm_fault_charged_500');
    Object.assign(harness.script, silence());
    await alone();
    expect(await assertCharged(operationId, approver)).toEqual({ kind: 'overridden' });
    const event = await harness.db.idempotencyEvent.findFirst({
      where: { tenantId: harness.tenantId, recordId: operationId, toStatus: 'completed' },
    });
    expect(event).toMatchObject({ cause: 'operator_override', evidence: { reason, fourEyes: false } });
    expect(await entries(operationId)).toEqual(['operation.override']);
    expect(await harness.sandbox.charges(command.reference)).toHaveLength(1);
  });

  test('four eyes that are switched on while the provider is asked hold: the override becomes a proposal', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    Object.assign(harness.script, silence());
    await alone();
    const { assertions } = harness.services;
    const services: typeof harness.services = {
      ...harness.services,
      assertions: {
        ...assertions,
        async override(...asked) {
          await harness.db.tenantSettings.updateMany({ data: { fourEyes: true } });
          return assertions.override(...asked);
        },
      },
    };
    const digest = (await assertions.examine({ tenantId: harness.tenantId, id: operationId }))?.digest ?? '';
    const request = { operationId, assertion: 'charged', reason, digest } as const;
    expect(await resolveOperation(services, approver, request)).toMatchObject({ kind: 'proposed' });
    expect(await statusOf(operationId)).toBe('unknown');
    expect(await entries(operationId)).toEqual(['proposal.open']);
  });

  test('an approver who was shown that another person decides proposes, also when four eyes were switched off meanwhile', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    Object.assign(harness.script, silence());
    await alone();
    const { assertions } = harness.services;
    const digest = (await assertions.examine({ tenantId: harness.tenantId, id: operationId }))?.digest ?? '';
    const request = { operationId, assertion: 'charged', reason, digest, propose: true } as const;
    expect(await resolveOperation(harness.services, approver, request)).toMatchObject({ kind: 'proposed' });
    expect(await statusOf(operationId)).toBe('unknown');
    expect(await entries(operationId)).toEqual(['proposal.open']);
  });

  test('an operator still cannot override', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    Object.assign(harness.script, silence());
    await alone();
    expect(await assertCharged(operationId, operator)).toEqual({ kind: 'needs_approver' });
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('an override voids a proposal from before', async () => {
    const { operationId, id } = await propose();
    await alone();
    expect(await assertCharged(operationId, approver)).toEqual({ kind: 'overridden' });
    expect(await find(id)).toMatchObject({ status: 'void' });
  });
});

describe('a proposal', () => {
  test('is withdrawn by its proposer only', async () => {
    const { operationId, id } = await propose();
    expect(await withdrawProposal(harness.services, approver, { id })).toEqual({ kind: 'not_yours' });
    expect(await withdrawProposal(harness.services, operator, { id })).toEqual({ kind: 'withdrawn' });
    expect(await approveProposal(harness.services, approver, { id })).toEqual({
      kind: 'not_open',
      status: 'withdrawn',
    });
    expect(await statusOf(operationId)).toBe('unknown');
  });

  test('is voided in the commit that resolves the operation by evidence', async () => {
    const { operationId, id } = await propose();
    harness.script.retrieve = (real) => real;
    await harness.services.reconciler.reconcile(harness.refOf(operationId), 'webhook:evt_7');
    expect(await find(id)).toMatchObject({
      status: 'void',
      note: 'Resolved meanwhile by webhook:evt_7: provider_succeeded',
    });
  });

  test.each([
    ['what was proposed changes', `UPDATE resolution_proposal SET reason = 'another' WHERE id = `],
    ['it is deleted', 'DELETE FROM resolution_proposal WHERE id = '],
    ['it becomes a release', `UPDATE resolution_proposal SET assertion = 'not_charged' WHERE id = `],
  ])('does not change: the database refuses when %s', async (_, sql) => {
    const { id } = await propose();
    await expect(harness.db.$executeRawUnsafe(`${sql}'${id}'`)).rejects.toThrow();
  });

  test('does not reopen once it is decided', async () => {
    const { id } = await propose();
    await rejectProposal(harness.services, approver, { id, note: 'Not on my statement.' });
    const reopened = harness.db.resolutionProposal.update({
      where: { id },
      data: { status: 'open', decidedAt: null },
    });
    await expect(reopened).rejects.toThrow('which is final');
  });
});
