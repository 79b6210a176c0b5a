import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { listPausedTenants, pauseChecks, readCheckPause, resumeChecks } from '../checks/check-pause.ts';
import { unknownNeighbours } from '../operation-page/unknown-neighbours.ts';
import { readQueue } from '../operations-list/operators-queue.ts';
import { readAttention, readOpenTotals } from '../overview/overview.ts';
import { person } from '../testing/operators-harness.ts';
import { becomeUnknown, createShop, runningPayment } from '../testing/rows.ts';
import { addNote, assignOperation, listAssignees, readAssignments, snoozeOperation } from './assignments.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

let tenantId: string;
let operator: ReturnType<typeof person>;
beforeEach(async () => {
  tenantId = await createShop(db, randomUUID());
  operator = person(tenantId, 'operator');
});

async function queued() {
  const operation = await runningPayment(db, tenantId);
  await becomeUnknown(db, operation, true);
  return operation;
}

async function member(role: string) {
  const email = `${randomUUID()}@example.com`;
  const user = await db.user.create({ data: { id: randomUUID(), name: email, email } });
  await db.member.create({ data: { id: randomUUID(), organizationId: tenantId, userId: user.id, role } });
  return user;
}

const actions = async (subjectId: string) =>
  (await db.auditEntry.findMany({ where: { tenantId, subjectId }, orderBy: { id: 'asc' } })).map(
    ({ action }) => action,
  );

describe('what waits in the queue', () => {
  test('a snoozed operation is out of the queue and of the count until its time is over', async () => {
    const operation = await queued();
    await snoozeOperation(db, operator, operation, 60);
    expect(await readQueue(db, tenantId)).toEqual([]);
    expect(await readQueue(db, tenantId, true)).toMatchObject([{ id: operation.id }]);
    expect(await readAttention(db, tenantId)).toMatchObject({ queue: 0, total: 0, unknown: 1 });
    await db.operationAssignment.updateMany({ data: { snoozedUntil: new Date(Date.now() - 1_000) } });
    expect(await readQueue(db, tenantId)).toMatchObject([{ id: operation.id }]);
    expect(await readAttention(db, tenantId)).toMatchObject({ queue: 1, total: 1 });
  });

  test('an assignee is a member who may act; the queue shows them and the newest note', async () => {
    const operation = await queued();
    const [colleague, viewer] = [await member('approver'), await member('viewer')];
    expect(await assignOperation(db, operator, operation.id, colleague.id)).toBe(true);
    expect(await assignOperation(db, operator, operation.id, viewer.id)).toBe(false);
    expect(await assignOperation(db, operator, operation.id, 'another-user')).toBe(false);
    await addNote(db, operator, operation.id, 'The bank calls back.');
    await addNote(db, operator, operation.id, 'They called: ask again on Monday.');
    expect(await readQueue(db, tenantId)).toMatchObject([
      {
        assignment: { assignee: { email: colleague.email } },
        note: { text: 'They called: ask again on Monday.', by: operator.email },
      },
    ]);
    expect(await listAssignees(db, tenantId)).toEqual([{ id: colleague.id, email: colleague.email }]);
    await assignOperation(db, operator, operation.id, null);
    expect((await readAssignments(db, tenantId, [operation.id])).get(operation.id)?.assignee).toBeNull();
    expect(await actions(operation.id)).toEqual([
      'operation.assign',
      'operation.note',
      'operation.note',
      'operation.assign',
    ]);
  });

  test('the money at stake is that of what waits, and what is snoozed has a sum of its own', async () => {
    const waiting = await runningPayment(db, tenantId, { amountMinor: 700 });
    const snoozed = await runningPayment(db, tenantId, { amountMinor: 50_000 });
    for (const operation of [waiting, snoozed]) await becomeUnknown(db, operation, true);
    expect(await readOpenTotals(db, tenantId)).toMatchObject({
      queue: { count: 2, money: [{ amountMinor: 50_700 }] },
      snoozed: { count: 0, money: [] },
    });
    await snoozeOperation(db, operator, snoozed, 60);
    expect(await readOpenTotals(db, tenantId)).toMatchObject({
      queue: { count: 1, money: [{ amountMinor: 700 }] },
      snoozed: { count: 1, money: [{ amountMinor: 50_000 }] },
    });
  });

  test.each([
    ['removed', (userId: string) => db.member.deleteMany({ where: { userId } })],
    [
      'made a viewer',
      (userId: string) => db.member.updateMany({ where: { userId }, data: { role: 'viewer' } }),
    ],
  ])('an operation of a person who was %s has no assignee', async (_, change) => {
    const operation = await queued();
    const colleague = await member('operator');
    await assignOperation(db, operator, operation.id, colleague.id);
    expect(await readQueue(db, tenantId)).toMatchObject([{ assignment: { assignee: { id: colleague.id } } }]);
    await change(colleague.id);
    expect(await readQueue(db, tenantId)).toMatchObject([{ assignment: { assignee: null } }]);
  });

  test('the count of what needs a person is over the queue, unexpected payments and approvals', async () => {
    const { paymentId, id } = await queued();
    const proposer = { proposerId: 'p', proposerEmail: 'p@example.com', reason: 'why' };
    await db.reconciliationException.create({
      data: { tenantId, paymentId, intentId: 'pi_1', reason: 'order_cancelled' },
    });
    await db.resolutionProposal.create({
      data: {
        ...proposer,
        tenantId,
        operationId: id,
        assertion: 'charged',
        evidence: {},
        evidenceDigest: 'd',
      },
    });
    await db.refundProposal.create({
      data: { ...proposer, tenantId, paymentId, amountMinor: 1, refundsBefore: 0 },
    });
    expect(await readAttention(db, tenantId)).toEqual({
      queue: 1,
      exceptions: 1,
      approvals: 2,
      total: 4,
      unknown: 1,
    });
  });

  test('next and previous lead through the unknown operations in the order of their list', async () => {
    const all = [];
    for (let n = 0; n < 3; n++) {
      const operation = await runningPayment(db, tenantId);
      await becomeUnknown(db, operation);
      all.push(operation);
    }
    const [first, second, third] = all;
    if (!first || !second || !third) throw new Error('There are three.');
    expect(await unknownNeighbours(db, second)).toEqual({ previous: first.id, next: third.id });
    expect(await unknownNeighbours(db, first)).toEqual({ previous: null, next: second.id });
    const elsewhere = await createShop(db, randomUUID());
    expect(await unknownNeighbours(db, { tenantId: elsewhere, id: second.id })).toEqual({
      previous: null,
      next: null,
    });
  });
});

test('checks are paused and resumed once, each with an entry in the audit log', async () => {
  expect(await readCheckPause(db, tenantId)).toBeNull();
  expect(await pauseChecks(db, operator, 'The bank has an incident.')).toBe(true);
  expect(await pauseChecks(db, operator, 'Another reason.')).toBe(false);
  expect(await readCheckPause(db, tenantId)).toMatchObject({
    by: operator.email,
    reason: 'The bank has an incident.',
  });
  expect(await listPausedTenants(db)).toContain(tenantId);
  expect(await resumeChecks(db, operator)).toBe(true);
  expect(await resumeChecks(db, operator)).toBe(false);
  expect(await listPausedTenants(db)).not.toContain(tenantId);
  expect(await actions(tenantId)).toEqual(['checks.pause', 'checks.resume']);
});
