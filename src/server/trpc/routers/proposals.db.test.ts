import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPayment } from '#console/testing/rows.ts';
import { type ConsoleHarness, openConsoleHarness } from '../../testing/console-harness.ts';

let harness: ConsoleHarness;
let tenantId: string;
beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
});
afterAll(() => harness.close());

const member = (role: 'operator' | 'approver' | 'owner') => harness.createMember(tenantId, role);

test.each([
  ['removed', (id: string) => harness.db.member.delete({ where: { id } })],
  ['made a viewer', (id: string) => harness.db.member.update({ where: { id }, data: { role: 'viewer' } })],
])('an approver reads that the person who proposed was %s since', async (_, change) => {
  const [proposer, approver] = [await member('operator'), await member('approver')];
  const { paymentId, id: operationId } = await runningPayment(harness.db, tenantId);
  const by = {
    tenantId,
    proposerId: proposer.userId,
    proposerEmail: proposer.email,
    reason: 'It came back.',
  };
  await harness.db.refundProposal.create({ data: { ...by, paymentId, amountMinor: 1, refundsBefore: 0 } });
  await harness.db.resolutionProposal.create({
    data: { ...by, operationId, assertion: 'charged', evidence: {}, evidenceDigest: 'd' },
  });
  const left = async () => {
    const [refunds, overrides, payment, operation] = await Promise.all([
      approver.call.refunds.proposals(),
      approver.call.proposals.list(),
      approver.call.payment.get({ paymentId }),
      approver.call.operation.get({ operationId }),
    ]);
    const shown = [...refunds.open, ...overrides.open, ...payment.proposals, ...operation.proposals];
    return shown.filter(({ proposer: { id } }) => id === proposer.userId).map((one) => one.proposerLeft);
  };
  expect(await left()).toEqual([false, false, false, false]);
  await change(proposer.memberId);
  expect(await left()).toEqual([true, true, true, true]);
});

test('the page of a new approver knows from when they may approve', async () => {
  const [owner, raised] = [await member('owner'), await member('operator')];
  expect(await owner.call.people.me()).toMatchObject({ approvesFrom: null });
  await owner.call.people.changeRole({ id: raised.memberId, role: 'approver' });
  const { approvesFrom } = await raised.call.people.me();
  expect(Date.parse(approvesFrom ?? '')).toBeGreaterThan(Date.now());
  await harness.db.$executeRaw`
    UPDATE member SET approves_from = approves_from - interval '25 hours' WHERE id = ${raised.memberId}`;
  expect(await raised.call.people.me()).toMatchObject({ approvesFrom: null });
});
