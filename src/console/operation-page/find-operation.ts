import {
  type IdempotencyStore,
  type OperationRef,
  type Status,
  scheduledChecks,
} from '#idempotency/index.ts';
import { findKind } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import { readAssignments } from '../assignments/assignments.ts';
import { auditAbout } from '../audit/list-audit.ts';
import { readOperations } from '../operations-list/list-operations.ts';
import { proposalsAbout } from '../resolution/list-proposals.ts';
import { operationMessages } from './operation-messages.ts';
import { operationMoney } from './operation-money.ts';
import { unknownNeighbours } from './unknown-neighbours.ts';
import { versionOf } from './watch-operation.ts';

type Db = Prisma.TransactionClient;

interface Parts {
  readonly db: Db;
  readonly store: Pick<IdempotencyStore<Db>, 'findById' | 'listMisuses'>;
}

/** Everything the page shows of one operation. Undefined for another tenant's operation and for one that does not exist. */
export async function findOperation({ db, store }: Parts, ref: OperationRef) {
  const { tenantId, id } = ref;
  // The version is read first, so that a change during the other reads makes the page outdated.
  const version = await versionOf(db, ref);
  const record = await store.findById(ref);
  const [row] = await readOperations(db, [tenantId], [id]);
  if (!record || !row) return undefined;
  const [events, calls, misuses, about, proposals, audit, times] = await Promise.all([
    db.idempotencyEvent.findMany({ where: { tenantId, recordId: id }, orderBy: { id: 'asc' } }),
    db.providerCall.findMany({
      where: { tenantId, operationId: id },
      orderBy: [{ startedAt: 'asc' }, { id: 'asc' }],
    }),
    store.listMisuses(ref),
    operationMoney(db, ref),
    proposalsAbout(db, ref),
    auditAbout(db, tenantId, 'operation', id),
    readTimes(db, ref),
  ]);
  const kind = findKind(record.operation);
  const [messages, names, neighbours, assignments] = await Promise.all([
    operationMessages(db, ref, about?.own.id),
    namesOf(
      db,
      events.flatMap(({ actor, evidence }) => [actor, proposerIn(evidence) ?? actor]),
    ),
    unknownNeighbours(db, ref),
    readAssignments(db, tenantId, [id]),
  ]);
  return {
    ...row,
    version,
    fingerprint: `${record.fingerprint.slice(0, 12)}…`,
    fingerprintVersion: record.fingerprintVersion,
    expiresAt: times?.expires_at?.toISOString() ?? null,
    about,
    neighbours,
    assignment: assignments.get(id) ?? { assignee: null, snoozedUntil: null },
    messages,
    proposals,
    audit,
    nextCheck: {
      inMs: times?.next_check_in_ms ?? null,
      checks: record.checkCount,
      // This version of the app may not know the operation; then there is no schedule.
      of: kind ? scheduledChecks(kind.definition.checks) : record.checkCount,
      escalatedAt: row.escalatedAt,
    },
    misuses: misuses.map((misuse) => ({
      kind: misuse.kind,
      fields: misuse.fields,
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
      evidence: namedEvidence(event.evidence, names),
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

/** The time to the next check by the database's clock, so the browser's clock does not matter. Negative when overdue. */
async function readTimes(db: Db, { tenantId, id }: OperationRef) {
  const [row] = await db.$queryRaw<{ expires_at: Date | null; next_check_in_ms: number | null }[]>`
    SELECT expires_at, CASE WHEN status = 'unknown'
      THEN (extract(epoch FROM next_check_at - clock_timestamp()) * 1000)::float8 END AS next_check_in_ms
    FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return row;
}

/** The evidence of an approved proposal names its proposer. */
function namedEvidence(evidence: Prisma.JsonValue, names: ReadonlyMap<string, string>): Prisma.JsonValue {
  const id = proposerIn(evidence);
  return id === undefined ? evidence : { ...(evidence as object), proposedBy: names.get(id) ?? id };
}

function proposerIn(evidence: Prisma.JsonValue): string | undefined {
  const { proposedBy } = (evidence ?? {}) as { proposedBy?: unknown };
  return typeof proposedBy === 'string' ? proposedBy : undefined;
}

/** Operators are shown by e-mail address instead of user id. */
async function namesOf(db: Db, actors: readonly string[]): Promise<Map<string, string>> {
  const ids = actors.filter((actor) => actor.startsWith('operator:')).map((actor) => actor.slice(9));
  if (ids.length === 0) return new Map();
  const users = await db.user.findMany({ where: { id: { in: ids } }, select: { id: true, email: true } });
  return new Map(users.map(({ id, email }) => [`operator:${id}`, `operator:${email}`]));
}
