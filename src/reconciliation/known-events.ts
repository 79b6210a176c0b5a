import { type ListedObject, operationRows, stripeEventColumns } from '#payments/index.ts';
import { Prisma, type PrismaClient } from '#prisma';

/**
 * Whether an event says what our own row says already, which is what most events do. The relation `given` has the columns of
 * `stripeEventColumns`, `tenant_id` and `operation_id`.
 */
export const isKnown = operationRows.map(({ knows }) => `(${knows.text})`).join(' OR ');

/** What the inbox says of an event that needs no question to the provider. */
export const eventOutcomes = {
  known: 'nothing_to_do: completed',
  notOurs: 'about nothing of ours',
  uninformative: 'nothing to learn',
} as const;

/**
 * Finishes an event if it is known by now: a webhook often arrives a moment before the response that says the same. True: it
 * is finished.
 */
export async function finishIfKnown(db: Pick<PrismaClient, '$executeRaw'>, id: string): Promise<boolean> {
  const finished = await db.$executeRaw`
    UPDATE provider_event e
    SET status = 'processed', outcome = ${eventOutcomes.known}, processed_at = clock_timestamp()
    FROM (
      SELECT id, tenant_id, operation_id, ${Prisma.raw(stripeEventColumns('payload'))}
      FROM provider_event WHERE id = ${id}::uuid) AS given
    WHERE e.id = given.id AND (${Prisma.raw(isKnown)})`;
  return finished === 1;
}

/** Those of the provider's objects that our own rows do not say the same about. */
export async function withoutKnown(
  db: Pick<PrismaClient, '$queryRaw'>,
  listed: readonly ListedObject[],
): Promise<readonly ListedObject[]> {
  const known = await db.$queryRaw<{ object_id: string }[]>`
    SELECT object_id FROM unnest(
      ${listed.map(({ operation }) => operation.tenantId)}::text[],
      ${listed.map(({ operation }) => operation.id)}::uuid[],
      ${listed.map(({ object }) => object)}::text[], ${listed.map(({ id }) => id)}::text[],
      ${listed.map(({ intentId }) => intentId)}::text[], ${listed.map(({ state }) => state)}::text[]
    ) AS given (tenant_id, operation_id, object, object_id, intent_id, state)
    WHERE ${Prisma.raw(isKnown)}`;
  const ids = new Set(known.map((row) => row.object_id));
  return listed.filter(({ id }) => !ids.has(id));
}
