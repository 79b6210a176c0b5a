import type { FastifyBaseLogger } from 'fastify';
import type { Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import { WorkerLoop } from '../worker-loop.ts';
import {
  claimDue,
  type Delivery,
  markDelivered,
  markFailed,
  nextDueMs,
  REQUEST_TIMEOUT_MS,
  releaseHeld,
  releaseLease,
} from './delivery.ts';
import { eventObject } from './event-object.ts';
import { signatureHeader } from './signature.ts';

// Enough that one slow endpoint does not delay the others, few enough to leave database connections for the API.
const MAX_IN_FLIGHT = 8;

/** Sends the pending deliveries. All its state is in the delivery table, so it can be killed at any moment. */
export class Dispatcher {
  readonly #pool: Pool;
  readonly #switches: Switches;
  readonly #log: FastifyBaseLogger;
  readonly #loop: WorkerLoop;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #delivered = new EventTarget();

  constructor(pool: Pool, switches: Switches, log: FastifyBaseLogger) {
    this.#pool = pool;
    this.#switches = switches;
    this.#log = log;
    this.#loop = new WorkerLoop(() => this.#step(), log);
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop.stop();
    await Promise.all(this.#inFlight);
  }

  /** Resolves when no delivery of these events is pending any more, and after `timeoutMs` at the latest. */
  async waitForDelivery(events: string[], timeoutMs: number): Promise<void> {
    const deadline = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(timeoutMs)]);
    while (!deadline.aborted) {
      const changed = this.#nextDelivered(deadline);
      const { rowCount } = await this.#pool.query(
        "SELECT 1 FROM webhook_deliveries WHERE event = ANY ($1) AND status = 'pending' LIMIT 1",
        [events],
      );
      if (rowCount === 0) return;
      await changed;
    }
  }

  #nextDelivered(deadline: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#delivered.addEventListener('delivered', () => resolve(), { once: true, signal: deadline });
      deadline.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  async #step(): Promise<number | null> {
    // While webhooks are off, deliveries stay pending and no failed attempt is counted.
    if (!this.#switches.state.webhooksOn) return null;
    const free = MAX_IN_FLIGHT - this.#inFlight.size;
    if (free === 0) return null;
    const claimed = await claimDue(this.#pool, this.#switches.nowMs(), free);
    for (const delivery of claimed) this.#launch(delivery);
    if (claimed.length === free) return null;
    const next = await nextDueMs(this.#pool);
    return next === null ? null : next - this.#switches.nowMs();
  }

  #launch(delivery: Delivery): void {
    const sending = this.#deliver(delivery)
      // The lease expires by itself, so a result that could not be recorded costs a second delivery, not a lost one.
      .catch((error) =>
        this.#log.error({ err: error, event: delivery.event.id }, 'a delivery was not recorded'),
      )
      .finally(() => {
        this.#inFlight.delete(sending);
        this.#loop.wake();
      });
    this.#inFlight.add(sending);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { accepted, result } = await this.#send(delivery);
    if (this.#stopping.signal.aborted && !accepted) return releaseLease(this.#pool, delivery);
    const { id, type } = delivery.event;
    this.#log.info({ event: id, type, attempt: delivery.attempts + 1, result }, 'webhook sent');
    if (!accepted) return markFailed(this.#pool, delivery, result, this.#switches.nowMs());
    await markDelivered(this.#pool, delivery, result);
    if (type !== 'payment_intent.created' && type.startsWith('payment_intent.')) {
      await releaseHeld(this.#pool, delivery.intent, this.#switches.nowMs());
    }
    this.#delivered.dispatchEvent(new Event('delivered'));
  }

  async #send(delivery: Delivery): Promise<{ accepted: boolean; result: string }> {
    const payload = JSON.stringify(eventObject(delivery.event, delivery.pendingWebhooks), null, 2);
    try {
      const response = await fetch(delivery.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
          'stripe-signature': signatureHeader(payload, delivery.secret, Date.now()),
        },
        body: payload,
        // Stripe treats a redirect as a failure: following it could send the event to another party.
        redirect: 'manual',
        signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return { accepted: response.ok, result: String(response.status) };
    } catch (error) {
      return { accepted: false, result: error instanceof Error ? error.name : 'failed' };
    }
  }
}
