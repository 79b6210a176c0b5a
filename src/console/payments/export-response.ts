import type { Prisma } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { listCurrencies } from '../operations-list/list-operations.ts';
import { csvResponse } from '../paging/csv-response.ts';
import { exportPayments } from './export-payments.ts';
import { readPaymentFilter, writePaymentFilter } from './payment-filter.ts';

/** Writes down that the list is exported, and streams it. What was searched for is not kept: it may be personal. */
export async function exportPaymentsResponse(
  db: Prisma.TransactionClient,
  request: Request,
  member: Actor,
  zone: string,
  mayStillRead: (tenantIds: readonly string[]) => Promise<boolean>,
): Promise<Response> {
  const { tenantId } = member;
  const [currency] = await listCurrencies(db, [tenantId]);
  const params = Object.fromEntries(new URL(request.url).searchParams);
  const filter = { ...readPaymentFilter(params, currency), zone };
  await writeAuditEntry(
    db,
    { ...member, needs: 'viewer' },
    {
      action: 'payments.export',
      subject: { type: 'payments', id: 'csv' },
      details: { filter: writePaymentFilter({ ...filter, search: undefined }) },
    },
  );
  const lines = exportPayments(db, { tenantId, filter, signal: request.signal });
  return csvResponse(lines, 'payments', () => mayStillRead([tenantId]));
}
