import type { Prisma } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import type { Membership } from '../members/membership.ts';
import { exportOperations } from './export-operations.ts';
import { readFilter, writeFilter } from './operation-filter.ts';
import { shopsOf } from './shops-of.ts';

/** A file that is written while it is read: a reader who is slow, or leaves, makes the database wait, or stops. */
export async function exportResponse(
  db: Prisma.TransactionClient,
  request: Request,
  member: Actor & Membership & { readonly shops: readonly Membership[] },
): Promise<Response> {
  const filter = readFilter(Object.fromEntries(new URL(request.url).searchParams));
  const shops = shopsOf(member, filter.shop);
  // That data left the house is noted before it leaves, for each shop whose it is.
  for (const { tenantId } of shops) {
    await writeAuditEntry(
      db,
      { ...member, tenantId },
      {
        action: 'operations.export',
        subject: { type: 'operations', id: 'csv' },
        details: { filter: writeFilter({ ...filter, key: undefined, search: undefined }) },
      },
    );
  }
  const lines = exportOperations(db, {
    shops: new Map(shops.map(({ tenantId, tenantSlug }) => [tenantId, tenantSlug])),
    filter,
    signal: request.signal,
  });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await lines.return();
    },
  });
  const day = new Date().toISOString().slice(0, 10);
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="operations-${day}.csv"`,
      'Cache-Control': 'no-store',
    },
  });
}
