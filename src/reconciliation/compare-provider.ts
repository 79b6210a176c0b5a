import type { IdempotencyStore } from '#idempotency/index.ts';
import {
  type BookedObject,
  bookException,
  comparisonActor,
  type EventFollower,
  type ListedObject,
  notOpenedYet,
  type PaymentProvider,
} from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { closeGap, type DatabaseGap, noteDatabase } from './database-gap.ts';
import { withoutKnown } from './known-events.ts';
import { listMarginMs, pagesOf } from './provider-list.ts';
import { ProviderUnresponsive } from './provider-trouble.ts';
import type { VerifiedEvent } from './receive-events.ts';
import type { Reconciler } from './reconcile.ts';

export interface ComparisonParts {
  readonly db: PrismaClient;
  readonly store: IdempotencyStore<Prisma.TransactionClient>;
  readonly provider: PaymentProvider;
  readonly reconciler: Reconciler;
  readonly follower: EventFollower;
  readonly receiveEvent: (event: VerifiedEvent) => Promise<unknown>;
  readonly settings: { readonly provider: VerifiedEvent['provider'] };
}

/** How much the provider listed, and how much of it our rows did not say. */
export interface Compared extends DatabaseGap {
  readonly listed: number;
  readonly differed: number;
  /** Why the provider's events could not be read; undefined: they were. */
  readonly eventsRefused?: string | undefined;
}

/** Stripe keeps events for 30 days. The rest is for clocks. */
const eventsKeptMs = 29 * 24 * 60 * 60_000;

/**
 * Ends the gap of a database that was promoted or restored: everything that the provider has made for us since is compared with
 * our rows, and what they lack is restored. Until then no key is executed. Undefined: there is no gap, or it has grown.
 */
export async function compareIfReplaced(parts: ComparisonParts): Promise<Compared | undefined> {
  const gap = await noteDatabase(parts.db);
  if (!gap) return undefined;
  const since = new Date(gap.lostSince.getTime() - listMarginMs);
  const earlier = await compareEarlier(parts, since);
  const newest = await parts.follower.listNewestBooked();
  if ('kind' in newest) throw new ProviderUnresponsive(newest.code);
  const [intent, refund] = (['payment_intent', 'refund'] as const).map((object) =>
    newest.find((booked) => booked.object === object),
  );
  // Payments first, because a refund is restored with its payment.
  const payments = await compareAll(parts, 'payment_intent', since, intent);
  const refunds = await compareAll(parts, 'refund', since, refund);
  const eventsRefused = await receiveLostEvents(parts, since, intent);
  const listed = earlier.listed + payments.listed + refunds.listed;
  const differed = earlier.differed + payments.differed + refunds.differed;
  return (await closeGap(parts.db, gap)) ? { ...gap, listed, differed, eventsRefused } : undefined;
}

/**
 * A webhook whose commit was lost was acknowledged, so it is not sent again. It may be about something from long before the gap: a
 * refund that a bank returned, or one that was made in the provider's dashboard. Those that the inbox has are passed over by it.
 *
 * A restricted API key may not be allowed to read events. Nothing is charged or paid back twice for want of them, so payments
 * do not wait for that: it is reported.
 */
async function receiveLostEvents(
  parts: ComparisonParts,
  since: Date,
  booked: BookedObject | undefined,
): Promise<string | undefined> {
  const { provider } = parts.settings;
  const isKept = (booked?.createdAt?.getTime() ?? 0) > Date.now() - eventsKeptMs;
  const list = { of: 'events', since, booked: isKept ? booked : undefined };
  try {
    for await (const { events } of pagesOf(list, parts.provider.listEvents)) {
      await Promise.all(
        events.map(({ id: eventId, ...event }) => parts.receiveEvent({ provider, eventId, ...event })),
      );
    }
    return undefined;
  } catch (error) {
    if (error instanceof ProviderUnresponsive && error.isRefusal) return error.code;
    throw error;
  }
}

/** What the provider made before the gap may have been used in it. */
async function compareEarlier(parts: ComparisonParts, before: Date) {
  const listed = await parts.follower.listEarlier(before);
  if ('kind' in listed) throw new ProviderUnresponsive(listed.code);
  return compareListed(parts, listed);
}

/** Newest first: of several intents of one operation, only the last can have taken money, and its key continues with that. */
async function compareAll(
  parts: ComparisonParts,
  object: ListedObject['object'],
  since: Date,
  booked: BookedObject | undefined,
) {
  let [listed, differed] = [0, 0];
  const list = { of: `${object}s`, since, booked };
  for await (const page of pagesOf(list, (place) => parts.provider.listCreated({ object, ...place }))) {
    const compared = await compareListed(parts, page.listed);
    listed += compared.listed;
    differed += compared.differed;
  }
  return { listed, differed };
}

async function compareListed(parts: ComparisonParts, listed: readonly ListedObject[]) {
  const unknown = await withoutKnown(parts.db, listed);
  for (const one of unknown) await compare(parts, one);
  return { listed: listed.length, differed: unknown.length };
}

async function compare(parts: ComparisonParts, listed: ListedObject): Promise<void> {
  const { reconciler, follower } = parts;
  await restore(follower, listed);
  const { operation, object, id: objectId, intentId } = listed;
  const event = { operation, object, objectId, intentId };
  const isOfEarlier = await follower.isOfEarlierGeneration(event);
  const found = await reconciler.reconcile(operation, 'comparison');
  // It may be released without having been asked about; then it is booked by the next comparison.
  if (found.kind === 'still_unknown' && found.code === notOpenedYet)
    throw new ProviderUnresponsive(found.code);
  // Without evidence it stays unknown, and the poller goes on asking.
  if (found.kind !== 'nothing_to_do' && !isOfEarlier) return;
  // Its lease may have been over: then it was pending before, and is released now.
  await restore(follower, listed);
  const followed = await follower.follow(event);
  if (followed?.kind === 'no_evidence') throw new ProviderUnresponsive(followed.code);
  await bookLost(parts, listed);
}

async function restore(follower: EventFollower, listed: ListedObject): Promise<void> {
  const missing = await follower.restore(listed);
  if (missing) throw new ProviderUnresponsive(missing.code);
}

/**
 * What was lost is booked as the provider says, so that its order is paid and no other key pays it again. What cannot be, for
 * instance because another payment has its reference by now, stays an exception for an operator.
 */
async function bookLost(parts: ComparisonParts, listed: ListedObject): Promise<void> {
  const { operation, object, intentId } = listed;
  const { tenantId } = operation;
  const about = object === 'refund' ? { refund: { operationId: operation.id } } : { intentId };
  const lost = await parts.db.reconciliationException.findFirst({
    where: { tenantId, reason: 'record_lost', status: 'open', decidedBy: null, ...about },
  });
  if (!lost) return;
  const reason = 'The database was replaced, and the provider has it.';
  const decision = { actor: comparisonActor, reason, writes: async () => undefined };
  await bookException(parts, tenantId, lost.id, decision);
}
