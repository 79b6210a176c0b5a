import type { Prisma } from '#prisma';

type Db = Pick<Prisma.TransactionClient, '$executeRaw'>;

/** Longer than a provider repeats an event, and than support asks for one. */
const keptFor = '30 days';
const batch = 500;

/**
 * Payloads hold names and addresses: they are kept while they may be needed, then deleted. The event's row, with its type
 * and outcome, stays. An event that has not been processed keeps its payload, and so does one of an unknown outcome: that it says
 * that money moved is held against what the provider says later.
 */
export async function purgeEventPayloads(db: Db): Promise<void> {
  while ((await purgeSome(db)) === batch);
}

function purgeSome(db: Db): Promise<number> {
  return db.$executeRaw`
    WITH due AS MATERIALIZED (
      SELECT id FROM provider_event
      WHERE payload IS NOT NULL AND processed_at < statement_timestamp() - ${keptFor}::interval
        AND NOT EXISTS (
          SELECT FROM operation o WHERE o.tenant_id = provider_event.tenant_id
            AND o.id = provider_event.operation_id AND o.status IN ('in_progress', 'unknown'))
      ORDER BY processed_at LIMIT ${batch} FOR UPDATE SKIP LOCKED)
    UPDATE provider_event SET payload = NULL WHERE id IN (SELECT id FROM due)`;
}
