import { sqlState } from '#idempotency/stores/prisma.ts';
import type { PrismaClient } from '#prisma';
import { readFilterQuery, writeFilter } from './operation-filter.ts';

export interface View {
  readonly id: string;
  readonly name: string;
  readonly query: string;
}

/** Views that every member has. */
export const builtInViews: readonly View[] = [
  { id: 'unknown', name: 'Unknown, longest first', query: 'sort=unknown' },
  { id: 'queue', name: 'Operators’ queue', query: 'escalated=1&sort=oldest' },
  { id: 'misuse', name: 'Misuse of keys', query: 'misused=1' },
  { id: 'declined', name: 'Declined in the last 24 hours', query: 'outcome=declined&younger=24h' },
  { id: 'large', name: 'Unknown, largest amounts', query: 'status=unknown&sort=amount' },
].map((view) => ({ ...view, query: canonical(view.query) }));

/** Bounds the rows that one person can create. */
const viewLimit = 50;

export interface ViewOwner {
  readonly tenantId: string;
  readonly userId: string;
}

export type Saved =
  | { readonly kind: 'saved'; readonly view: View }
  | { readonly kind: 'name_taken' }
  | { readonly kind: 'too_many' };

export async function listViews(db: PrismaClient, { tenantId, userId }: ViewOwner): Promise<View[]> {
  return db.savedView.findMany({
    where: { tenantId, userId },
    orderBy: { name: 'asc' },
    select: { id: true, name: true, query: true },
  });
}

export async function saveView(
  db: PrismaClient,
  { tenantId, userId }: ViewOwner,
  { name, query }: { readonly name: string; readonly query: string },
): Promise<Saved> {
  return unlessTaken(() =>
    db.$transaction(async (tx) => {
      // Two that are saved at once would each count without the other.
      await tx.$queryRaw`
        SELECT FROM member WHERE organization_id = ${tenantId} AND user_id = ${userId} FOR NO KEY UPDATE`;
      if ((await tx.savedView.count({ where: { tenantId, userId } })) >= viewLimit)
        return { kind: 'too_many' };
      const data = { tenantId, userId, name, query: canonical(query) };
      const view = await tx.savedView.create({ data, select: { id: true, name: true, query: true } });
      return { kind: 'saved', view };
    }),
  );
}

/** Undefined when the person has no such view. */
export function renameView(
  db: PrismaClient,
  { tenantId, userId }: ViewOwner,
  id: string,
  name: string,
): Promise<Saved | undefined> {
  return unlessTaken(async () => {
    const [view] = await db.savedView.updateManyAndReturn({
      where: { id, tenantId, userId },
      data: { name },
      select: { id: true, name: true, query: true },
    });
    return view && { kind: 'saved', view };
  });
}

export async function deleteView(
  db: PrismaClient,
  { tenantId, userId }: ViewOwner,
  id: string,
): Promise<boolean> {
  const { count } = await db.savedView.deleteMany({ where: { id, tenantId, userId } });
  return count === 1;
}

/** Keeps the filter and drops unknown parameters and the page cursor. */
function canonical(query: string): string {
  return writeFilter(readFilterQuery(query));
}

async function unlessTaken<T>(write: () => Promise<T>): Promise<T | { readonly kind: 'name_taken' }> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === '23505') return { kind: 'name_taken' };
    throw error;
  }
}
