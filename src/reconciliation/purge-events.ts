import type { Prisma } from '#prisma';

type Db = Pick<Prisma.TransactionClient, '$executeRaw'>;

/** Longer than any provider repeats an event, and than anybody asks what one said. */
const keptFor = '30 days';
const batch = 500;

/**
 * What an event says holds people's names and addresses: it is kept while it may be wanted, then taken out. That there was
 * such an event, and what came of it, stays. An event that has not been looked into keeps everything.
 */
export async function purgeEventPayloads(db: Db): Promise<void> {
  while ((await purgeSome(db)) === batch);
}

function purgeSome(db: Db): Promise<number> {
  return db.$executeRaw`
    UPDATE provider_event SET payload = NULL WHERE id IN (
      SELECT id FROM provider_event
      WHERE payload IS NOT NULL AND processed_at < clock_timestamp() - ${keptFor}::interval
      ORDER BY processed_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)`;
}
