import type { Prisma } from '#prisma';
import { csvLine } from '../paging/csv.ts';
import { csvResponse } from '../paging/csv-response.ts';
import { type AuditEntryView, type AuditFilter, listAudit } from './list-audit.ts';
import { type Actor, writeAuditEntry } from './write-audit-entry.ts';

const batch = 500;
const headings = ['id', 'at', 'person', 'action', 'subject_type', 'subject_id', 'reason', 'details'];

/** Writes down that the log is exported, and streams the entries that the filter matches, the new one included. */
export async function exportAuditResponse(
  db: Prisma.TransactionClient,
  member: Actor,
  filter: AuditFilter,
  mayStillRead: (tenantIds: readonly string[]) => Promise<boolean>,
): Promise<Response> {
  const { tenantId } = member;
  const chosen = Object.entries(filter).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : String(value)]],
  );
  await writeAuditEntry(
    db,
    { ...member, needs: 'viewer' },
    {
      action: 'audit.export',
      subject: { type: 'audit', id: 'csv' },
      details: { filter: Object.fromEntries(chosen) },
    },
  );
  return csvResponse(exportAudit(db, tenantId, filter), 'audit-log', () => mayStillRead([tenantId]));
}

async function* exportAudit(
  db: Prisma.TransactionClient,
  tenantId: string,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  yield csvLine(headings);
  let before: string | undefined;
  do {
    const page = await listAudit(db, tenantId, filter, { before, limit: batch });
    if (page.entries.length > 0) yield page.entries.map(lineOf).join('');
    before = page.next ?? undefined;
  } while (before);
}

function lineOf(entry: AuditEntryView): string {
  return csvLine([
    entry.id,
    entry.at,
    entry.person,
    entry.action,
    entry.subject.type,
    entry.subject.id,
    entry.reason,
    entry.details === null ? null : JSON.stringify(entry.details),
  ]);
}
