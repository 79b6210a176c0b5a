import { moneyOfOperation } from '#payments/index.ts';
import { type AuditEntry, Prisma } from '#prisma';
import { distinctValues } from '../operations-list/distinct-values.ts';

type Db = Prisma.TransactionClient;

export interface AuditFilter {
  readonly person?: string | undefined;
  /** One action, such as `operation.reconcile`, or all of one subject: `operation`. */
  readonly action?: string | undefined;
  readonly subject?: string | undefined;
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Newest first. Entries are ordered by id, so the id is the cursor, and later entries do not shift a page. */
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
  const kept = rows.slice(0, page.limit);
  const references = await referencesOf(db, tenantId, kept);
  const entries = kept.map((row) => ({
    ...entryView(row),
    reference: references.get(row.subjectId) ?? null,
  }));
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

/**
 * The order's number, or the merchant's own name, of each payment and operation that the entries are about, and the address of each
 * person.
 */
async function referencesOf(
  db: Db,
  tenantId: string,
  rows: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (type: string) =>
    rows.filter(({ subjectType }) => subjectType === type).map(({ subjectId }) => subjectId);
  const operation = moneyOfOperation(Prisma.sql`${tenantId}`, Prisma.sql`wanted.id`);
  const found = await db.$queryRaw<{ id: string; reference: string }[]>`
    SELECT wanted.id::text, m.reference FROM unnest(${idsOf('operation')}::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (${operation}) AS m
    UNION ALL
    SELECT id::text, reference FROM payment WHERE tenant_id = ${tenantId} AND id = ANY(${idsOf('payment')}::uuid[])
    UNION ALL
    SELECT id, email FROM invitation WHERE organization_id = ${tenantId} AND id = ANY(${idsOf('invitation')})
    UNION ALL
    SELECT id, email FROM "user" WHERE id = ANY(${idsOf('user')})`;
  return new Map(found.map(({ id, reference }) => [id, reference]));
}

/** The values that the filter offers. */
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

export type AuditEntryView = Awaited<ReturnType<typeof listAudit>>['entries'][number];
