import type { Prisma } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import type { Membership } from '../members/membership.ts';
import { csvResponse } from '../paging/csv-response.ts';
import { exportOperations } from './export-operations.ts';
import { listCurrencies } from './list-operations.ts';
import { readFilter, writeFilter } from './operation-filter.ts';
import { filterFor, shopsOf } from './shops-of.ts';

/** Writes down that the list is exported, and streams it. */
export async function exportResponse(
  db: Prisma.TransactionClient,
  request: Request,
  member: Actor & Membership & { readonly shops: readonly Membership[] },
  zone: string,
  mayStillRead: (tenantIds: readonly string[]) => Promise<boolean>,
): Promise<Response> {
  const params = Object.fromEntries(new URL(request.url).searchParams);
  const shops = shopsOf(member, readFilter(params).shop);
  const tenantIds = shops.map(({ tenantId }) => tenantId);
  const [currency] = await listCurrencies(db, tenantIds);
  const filter = { ...readFilter(params, currency), zone };
  // The audit entry is written before any data is sent, in each shop that the export covers.
  for (const { tenantId } of shops) {
    await writeAuditEntry(
      db,
      { ...member, tenantId, needs: 'viewer' },
      {
        action: 'operations.export',
        subject: { type: 'operations', id: 'csv' },
        details: { filter: writeFilter({ ...filter, key: undefined, search: undefined }) },
      },
    );
  }
  const lines = exportOperations(db, {
    shops: new Map(shops.map(({ tenantId, tenantSlug }) => [tenantId, tenantSlug])),
    filter: filterFor(shops, filter),
    signal: request.signal,
  });
  return csvResponse(lines, 'operations', () => mayStillRead(tenantIds));
}
