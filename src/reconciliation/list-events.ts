import type { PaymentProvider } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { listMarginMs } from './provider-list.ts';
import { ProviderUnresponsive } from './provider-trouble.ts';
import type { Received, VerifiedEvent } from './receive-events.ts';

export interface EventListParts {
  readonly db: PrismaClient;
  readonly provider: PaymentProvider;
  readonly receiveEvent: (event: VerifiedEvent) => Promise<Received>;
  readonly settings: { readonly provider: VerifiedEvent['provider'] };
  /** How many events of a page had no webhook, by what became of them. Not called without any. */
  onMissed(events: Readonly<Record<Exclude<Received, 'duplicate'>, number>>): void;
}

/** An event is found this late when its webhook never arrives. With few events that is one call, and two statements. */
const pauseMs = 15 * 60_000;

interface Place {
  readonly since: Date;
  readonly until: Date;
  readonly after: string | undefined;
}

/**
 * Takes the events whose webhooks never arrived, because the endpoint was disabled or the provider gave up, from the provider's
 * list, through the same inbox. Each call takes a page, if one is due: one process does it at a time, and any goes on where
 * another has ended. Returns how many pages are left: none, or some. If it fails, it is tried again after the pause.
 *
 * The last minutes are left to the webhooks, which may be on their way.
 */
export function createEventListing({ db, provider, receiveEvent, settings, onMissed }: EventListParts) {
  const { provider: name } = settings;
  /** Where the pages of a listing began, as far as this process has read it. One that leads back there would never end. */
  let listing = { until: 0, begun: new Set<string>() };

  return async function takePage(): Promise<0 | 1> {
    const place = await claimPlace();
    if (!place) return 0;
    const until = place.until.getTime();
    if (listing.until !== until) listing = { until, begun: new Set() };
    const page = await provider.listEvents(place);
    if (page.kind !== 'responded') {
      // The event that the page comes after may be older than what the provider keeps, in a database that was restored.
      if (page.kind === 'rejected') await beginAgain();
      throw new ProviderUnresponsive(page.code);
    }
    const events = page.events.map(({ id: eventId, ...event }) => ({ provider: name, eventId, ...event }));
    const received = await Promise.all(events.map(receiveEvent));
    const count = (what: Received) => received.filter((one) => one === what).length;
    const missed = { stored: count('stored'), nothing_new: count('nothing_new') };
    if (missed.stored + missed.nothing_new > 0) onMissed(missed);
    if (page.next !== undefined && listing.begun.has(page.next)) {
      await beginAgain();
      throw new ProviderUnresponsive('provider_response_invalid');
    }
    return movePlace(place, page.next);
  };

  /**
   * Not while the provider is away or has asked for a pause. A new installation begins with now. The time is one that JavaScript
   * can give back exactly, because the statement that moves the place compares it.
   */
  async function claimPlace(): Promise<Place | undefined> {
    const [row] = await db.$queryRaw<{ listed_until: Date; until: Date | null; after: string | null }[]>`
      INSERT INTO provider_event_list AS list (provider, due_at)
      VALUES (${name}, clock_timestamp() + ${pauseMs}::int * interval '1 millisecond')
      ON CONFLICT (provider) DO UPDATE SET due_at = excluded.due_at,
        until = date_trunc('milliseconds',
          coalesce(list.until, clock_timestamp() - ${listMarginMs}::int * interval '1 millisecond'))
      WHERE list.due_at <= clock_timestamp() AND NOT EXISTS (
        SELECT FROM provider_circuit c WHERE c.provider = list.provider
          AND (c.open_until IS NOT NULL OR c.paused_until > clock_timestamp()))
      RETURNING listed_until, until, after`;
    if (!row?.until) return undefined;
    // What was dated by another clock, or was not listed yet.
    const since = new Date(row.listed_until.getTime() - listMarginMs);
    return { since, until: row.until, after: row.after ?? undefined };
  }

  /** A process that was slower than the pause changes nothing: another has gone on. */
  async function movePlace({ until, after }: Place, next: string | undefined): Promise<0 | 1> {
    if (next === undefined) {
      await db.$executeRaw`
        UPDATE provider_event_list SET listed_until = until, until = NULL, after = NULL
        WHERE provider = ${name} AND until = ${until} AND after IS NOT DISTINCT FROM ${after ?? null}`;
      return 0;
    }
    await db.$executeRaw`
      UPDATE provider_event_list SET after = ${next}, due_at = clock_timestamp()
      WHERE provider = ${name} AND until = ${until} AND after IS NOT DISTINCT FROM ${after ?? null}`;
    listing.begun.add(next);
    return 1;
  }

  async function beginAgain(): Promise<void> {
    await db.$executeRaw`
      UPDATE provider_event_list SET until = NULL, after = NULL WHERE provider = ${name}`;
  }
}
