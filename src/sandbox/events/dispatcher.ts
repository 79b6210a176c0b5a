import type { FastifyBaseLogger } from 'fastify';
import type { RequestLog } from '../http/request-log.ts';
import type { Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import { WorkerLoop } from '../worker-loop.ts';
import {
  type Attempt,
  claimDue,
  type Delivery,
  nextDueMs,
  REQUEST_TIMEOUT_MS,
  recordAttempts,
  releaseLease,
} from './delivery.ts';
import { eventObject } from './event-object.ts';
import { WebhookSender } from './send-webhook.ts';
import { signatureHeader } from './signature.ts';

// Enough that one slow endpoint does not delay the others, few enough that an endpoint on the same machine keeps up.
const MAX_IN_FLIGHT = 64;

// Stripe's webhooks come a moment after the response. In this time deliveries gather, and are claimed by one statement.
const GATHER_MS = 50;

/**
 * Sends the pending deliveries. All its state is in the delivery table, so it can be killed at any moment. Deliveries are
 * claimed together, and those that end while a statement is under way are recorded together by the next one.
 */
export class Dispatcher {
  readonly #pool: Pool;
  readonly #switches: Switches;
  readonly #log: FastifyBaseLogger;
  readonly #requests: RequestLog;
  readonly #loop: WorkerLoop;
  readonly #sender = new WebhookSender();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #delivered = new EventTarget();
  #ended: Attempt[] = [];
  #recording: Promise<void> | undefined;
  #saturated = false;
  #gathering: NodeJS.Timeout | undefined;

  constructor(pool: Pool, switches: Switches, log: FastifyBaseLogger, requests: RequestLog) {
    this.#pool = pool;
    this.#switches = switches;
    this.#log = log;
    this.#requests = requests;
    this.#loop = new WorkerLoop(() => this.#step(), log);
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Deliveries were added: wakes the loop a moment later, for all that are added meanwhile. */
  wakeSoon(): void {
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#loop.wake();
    }, GATHER_MS);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#gathering);
    await this.#loop.stop();
    await Promise.all(this.#inFlight);
    this.#sender.close();
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
    const claimed = free === 0 ? [] : await claimDue(this.#pool, this.#switches.nowMs(), free);
    this.#saturated = claimed.length === free;
    for (const delivery of claimed) this.#launch(delivery);
    // New deliveries, failed ones and released ones wake the loop, and so does a free place when there were too few.
    if (claimed.length > 0 || free === 0) return null;
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
        if (!this.#saturated) return;
        // A statement for each place that becomes free would cost more than the sending.
        if (this.#inFlight.size <= MAX_IN_FLIGHT / 2) this.#loop.wake();
        else this.wakeSoon();
      });
    this.#inFlight.add(sending);
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const atMs = Date.now();
    const attempt = await this.#send(delivery);
    if (this.#stopping.signal.aborted && !attempt.accepted) return releaseLease(this.#pool, delivery);
    const { id, type } = delivery.event;
    this.#log.info(
      { event: id, type, attempt: delivery.attempts + 1, result: attempt.result },
      'webhook sent',
    );
    this.#requests.addDelivery({
      atMs,
      intent: delivery.event.payment_intent,
      type,
      result: attempt.result,
    });
    this.#ended.push(attempt);
    // The statement under way does not include this attempt; the next one does, for all that have ended by then.
    if (this.#recording) await this.#recording.catch(() => {});
    if (this.#ended.includes(attempt)) await this.#record();
  }

  #record(): Promise<void> {
    const attempts = this.#ended;
    this.#ended = [];
    const recording = recordAttempts(this.#pool, attempts, this.#switches.nowMs())
      .then((released) => {
        this.#delivered.dispatchEvent(new Event('delivered'));
        if (released > 0 || attempts.some(({ accepted }) => !accepted)) this.#loop.wake();
      })
      .finally(() => {
        this.#recording = undefined;
      });
    this.#recording = recording;
    return recording;
  }

  async #send(delivery: Delivery): Promise<Attempt> {
    const { event, pendingWebhooks, apiVersion } = delivery;
    const payload = JSON.stringify(
      eventObject(event, pendingWebhooks, apiVersion ?? event.api_version),
      null,
      2,
    );
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signatureHeader(payload, delivery.secret, Date.now()),
    };
    const deadline = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    try {
      const status = await this.#sender.post(delivery.url, payload, headers, deadline);
      return { delivery, accepted: status >= 200 && status < 300, result: String(status) };
    } catch (error) {
      return { delivery, accepted: false, result: error instanceof Error ? error.name : 'failed' };
    }
  }
}
