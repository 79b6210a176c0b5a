import type { IdempotencyStore } from '#idempotency/index.ts';
import {
  bookException,
  comparisonActor,
  type EventFollower,
  type ListedObject,
  type PaymentProvider,
} from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { closeGap, type DatabaseGap, noteDatabase } from './database-gap.ts';
import { withoutKnown } from './known-events.ts';
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

/**
 * What the provider made for a lost commit was made at most a lease before it. The rest is for a provider's clock that differs
 * from the database's.
 */
const marginMs = 5 * 60_000;

/**
 * Ends the gap of a database that was promoted or restored: everything that the provider has made for us since is compared with
 * our rows, and what they lack is restored. Until then no key is executed. Undefined: there is no gap, or it has grown.
 */
export async function compareIfReplaced(parts: ComparisonParts): Promise<Compared | undefined> {
  const gap = await noteDatabase(parts.db);
  if (!gap) return undefined;
  const since = new Date(gap.lostSince.getTime() - marginMs);
  const earlier = await compareEarlier(parts, since);
  // Payments first, because a refund is restored with its payment.
  const payments = await compareAll(parts, 'payment_intent', since);
  const refunds = await compareAll(parts, 'refund', since);
  const eventsRefused = await receiveLostEvents(parts, since);
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
async function receiveLostEvents(parts: ComparisonParts, since: Date): Promise<string | undefined> {
  const { provider } = parts.settings;
  const begun = new Set<string>();
  let after: string | undefined;
  do {
    const page = await parts.provider.listEvents({ since, after });
    // A key that was allowed to read the first page may read the others.
    if (page.kind === 'rejected' && after === undefined) return page.code;
    if (page.kind !== 'responded') throw new ProviderUnresponsive(page.code);
    await Promise.all(
      page.events.map(({ id: eventId, ...event }) => parts.receiveEvent({ provider, eventId, ...event })),
    );
    after = nextPage(page.next, begun);
  } while (after);
  return undefined;
}

/** What the provider made before the gap may have been used in it. */
async function compareEarlier(parts: ComparisonParts, before: Date) {
  const listed = await parts.follower.listEarlier(before);
  if ('kind' in listed) throw new ProviderUnresponsive(listed.code);
  return compareListed(parts, listed);
}

/** Newest first: of several intents of one operation, only the last can have taken money, and its key continues with that. */
async function compareAll(parts: ComparisonParts, object: ListedObject['object'], since: Date) {
  let [listed, differed] = [0, 0];
  const begun = new Set<string>();
  let after: string | undefined;
  do {
    const page = await parts.provider.listCreated({ object, since, after });
    if (page.kind !== 'responded') throw new ProviderUnresponsive(page.code);
    const compared = await compareListed(parts, page.listed);
    listed += compared.listed;
    differed += compared.differed;
    after = nextPage(page.next, begun);
  } while (after);
  return { listed, differed };
}

/** `begun`: where the pages so far began. A list that leads back to one of them would never end. */
function nextPage(after: string | undefined, begun: Set<string>): string | undefined {
  if (after === undefined) return undefined;
  if (begun.has(after)) throw new ProviderUnresponsive('provider_response_invalid');
  begun.add(after);
  return after;
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
  // Without evidence it stays unknown, and the poller goes on asking.
  const found = await reconciler.reconcile(operation, 'comparison');
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
