import type { PrismaClient } from '#prisma';

/** From when on commits may be missing. */
export interface DatabaseGap {
  readonly lostSince: Date;
}

/**
 * Notes that this database is in use, and returns its gap, if it has one. A database with an identity that it has not had so far
 * was promoted or restored: it has all that was committed before the last note, because commits are replicated and archived in
 * their order, and may lack what came after. A gap that was not closed is continued.
 */
export async function noteDatabase(db: PrismaClient): Promise<DatabaseGap | undefined> {
  const [noted] = await db.$queryRaw<{ lost_since: Date | null; compared_at: Date | null }[]>`
    INSERT INTO database_history AS h (identity, lost_since)
    SELECT database_identity(), coalesce(min(lost_since) FILTER (WHERE compared_at IS NULL), max(seen_at), 'epoch')
    FROM database_history
    ON CONFLICT (identity) DO UPDATE SET seen_at = excluded.seen_at
    RETURNING h.lost_since, h.compared_at`;
  return noted?.lost_since && !noted.compared_at ? { lostSince: noted.lost_since } : undefined;
}

/** False: meanwhile the database was replaced once more, or an operator has said that the gap is longer. */
export async function closeGap(db: PrismaClient, { lostSince }: DatabaseGap): Promise<boolean> {
  const closed = await db.$executeRaw`
    UPDATE database_history SET compared_at = clock_timestamp()
    WHERE compared_at IS NULL AND lost_since >= ${lostSince}
      AND (SELECT lost_since >= ${lostSince} FROM database_history WHERE identity = database_identity())`;
  return closed > 0;
}

/**
 * For a copy that uses another account of the provider, such as for tests: an operator says that nothing in it can be compared.
 * False: there is no gap.
 */
export async function skipGap(db: PrismaClient): Promise<boolean> {
  await noteDatabase(db);
  const closed = await db.$executeRaw`
    UPDATE database_history SET compared_at = clock_timestamp() WHERE compared_at IS NULL`;
  return closed > 0;
}

/**
 * For what a database cannot notice by itself, such as a restored snapshot of its disk: an operator says since when commits may
 * be missing.
 */
export async function openGap(db: PrismaClient, lostSince: Date): Promise<void> {
  await db.$executeRaw`
    INSERT INTO database_history AS h (identity, lost_since) VALUES (database_identity(), ${lostSince})
    ON CONFLICT (identity) DO UPDATE SET compared_at = NULL,
      opened_at = CASE WHEN h.compared_at IS NULL THEN h.opened_at ELSE clock_timestamp() END,
      lost_since = CASE WHEN h.compared_at IS NULL THEN least(h.lost_since, excluded.lost_since) ELSE excluded.lost_since END`;
}
