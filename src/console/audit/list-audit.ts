import { type AuditEntry, Prisma } from '#prisma';
import { distinctValues } from '../operations-list/distinct-values.ts';

type Db = Prisma.TransactionClient;

export interface AuditFilter {
  readonly person?: string | undefined;
  /** `operation.reconcile`, or a kind of them: `operation`. */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Newest first. The id is the order of the entries, so it is the cursor too: later entries move nothing. */
export async function listAudit(
  db: Db,
  tenantId: string,
  filter: AuditFilter,
  page: { readonly before?: string | undefined; readonly limit: number },
) {
  const rows = await db.auditEntry.findMany({
    where: { ...whereOf(tenantId, filter), ...(page.before && { id: { lt: BigInt(page.before) } }) },
    orderBy: { id: 'desc' },
    take: page.limit + 1,
  });
  const entries = rows.slice(0, page.limit).map(entryView);
  return { entries, next: rows.length > page.limit ? (entries.at(-1)?.id ?? null) : null };
}

export async function auditAbout(db: Db, tenantId: string, subjectType: string, subjectId: string) {
  const rows = await db.auditEntry.findMany({
    where: { tenantId, subjectType, subjectId },
    orderBy: { id: 'desc' },
    take: 50,
  });
  return rows.map(entryView);
}

/** What there is to filter by. */
export async function auditChoices(db: Db, tenantId: string) {
  const scope = Prisma.sql`tenant_id = ${tenantId}`;
  const [people, actions] = await Promise.all([
    distinctValues(db, { table: 'audit_entry', column: 'actor_email', scope }),
    distinctValues(db, { table: 'audit_entry', column: 'action', scope }),
  ]);
  return { people, actions };
}

function whereOf(tenantId: string, filter: AuditFilter): Prisma.AuditEntryWhereInput {
  const at = { ...(filter.from && { gte: filter.from }), ...(filter.until && { lt: filter.until }) };
  return {
    tenantId,
    ...(filter.person && { actorEmail: filter.person }),
    ...(filter.action && {
      OR: [{ action: filter.action }, { action: { startsWith: `${filter.action}.` } }],
    }),
    ...(filter.subject && { subjectId: filter.subject }),
    ...((filter.from || filter.until) && { at }),
  };
}

function entryView(row: AuditEntry) {
  return {
    id: String(row.id),
    at: row.at.toISOString(),
    person: row.actorEmail,
    action: row.action,
    subject: { type: row.subjectType, id: row.subjectId },
    reason: row.reason,
    details: row.details,
  };
}

export type AuditEntryView = ReturnType<typeof entryView>;
