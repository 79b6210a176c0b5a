import type { Status } from '#idempotency/index.ts';
import { createPaymentOperation, createRefundOperation } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import { scheduledChecks } from '#reconciliation/index.ts';
import { auditAbout } from '../audit/list-audit.ts';
import { readOperations } from '../operations-list/list-operations.ts';
import { proposalsAbout } from '../resolution/list-proposals.ts';
import { operationMessages } from './operation-messages.ts';
import { operationMoney } from './operation-money.ts';
import { versionOf } from './watch-operation.ts';

type Db = Prisma.TransactionClient;

const definitions = new Map(
  [createPaymentOperation, createRefundOperation].map((operation) => [operation.name, operation]),
);

/** Everything that is known of one operation. Undefined for another tenant's as for one that never was. */
export async function findOperation(db: Db, tenantId: string, id: string) {
  // First, so that what comes in while the rest is read counts as new.
  const version = await versionOf(db, tenantId, id);
  const record = await db.idempotencyRecord.findFirst({ where: { id, tenantId } });
  const [row] = await readOperations(db, [tenantId], [id]);
  if (!record || !row) return undefined;
  const [events, calls, misuses, about, proposals, audit, nextCheckInMs] = await Promise.all([
    db.idempotencyEvent.findMany({ where: { recordId: id }, orderBy: { id: 'asc' } }),
    db.providerCall.findMany({ where: { operationId: id }, orderBy: [{ startedAt: 'asc' }, { id: 'asc' }] }),
    db.keyMisuse.findMany({ where: { recordId: id }, orderBy: { lastAt: 'desc' } }),
    operationMoney(db, tenantId, id),
    proposalsAbout(db, tenantId, id),
    auditAbout(db, tenantId, 'operation', id),
    nextCheck(db, id),
  ]);
  const sources = about && { paymentId: about.payment.id, refundId: about.refund?.id };
  const [messages, names] = await Promise.all([
    operationMessages(db, tenantId, id, sources ?? undefined),
    namesOf(
      db,
      events.map(({ actor }) => actor),
    ),
  ]);
  return {
    ...row,
    version,
    fingerprint: `${record.fingerprint.slice(0, 12)}…`,
    fingerprintVersion: record.fingerprintVersion,
    expiresAt: record.expiresAt?.toISOString() ?? null,
    about,
    messages,
    proposals,
    audit,
    nextCheck: {
      inMs: nextCheckInMs,
      checks: record.reconcileAttempts,
      of: scheduledChecks(definitions.get(record.operation)),
      escalatedAt: record.escalatedAt?.toISOString() ?? null,
    },
    misuses: misuses.map((misuse) => ({
      kind: misuse.kind as 'command' | 'principal',
      fields: misuse.fields === '' ? [] : misuse.fields.split(','),
      times: misuse.times,
      firstAt: misuse.firstAt.toISOString(),
      lastAt: misuse.lastAt.toISOString(),
    })),
    events: events.map((event) => ({
      id: String(event.id),
      from: event.fromStatus as Status | null,
      to: event.toStatus as Status,
      recoveryPoint: event.recoveryPoint,
      attempt: event.attempt,
      actor: names.get(event.actor) ?? event.actor,
      cause: event.cause,
      evidence: event.evidence,
      at: event.at.toISOString(),
    })),
    calls: calls.map((call) => ({
      id: String(call.id),
      call: call.call,
      at: call.startedAt.toISOString(),
      durationMs: call.durationMs,
      outcome: call.outcome,
      code: call.code,
      requestId: call.requestId,
    })),
  };
}

/** By the database's clock, so that the page can count down without trusting its own. Negative: overdue. */
async function nextCheck(db: Db, id: string): Promise<number | null> {
  const [row] = await db.$queryRaw<{ in_ms: number | null }[]>`
    SELECT (extract(epoch FROM reconcile_after - clock_timestamp()) * 1000)::float8 AS in_ms
    FROM idempotency_record WHERE id = ${id}::uuid AND status = 'unknown'`;
  return row?.in_ms ?? null;
}

/** People are shown by the address their colleagues know them by. */
async function namesOf(db: Db, actors: readonly string[]): Promise<Map<string, string>> {
  const ids = actors.filter((actor) => actor.startsWith('operator:')).map((actor) => actor.slice(9));
  if (ids.length === 0) return new Map();
  const users = await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, email: true } });
  return new Map(users.map(({ id, email }) => [`operator:${id}`, `operator:${email}`]));
}
