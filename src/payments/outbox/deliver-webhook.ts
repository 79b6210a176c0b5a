import type { ResponseCipher } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { Prisma, type PrismaClient } from '#prisma';
import type { AddressRule } from './address-rule.ts';
import type { DeliverySlots } from './delivery-slots.ts';
import { cancelReasons } from './endpoint.ts';
import { deliverWebhookTask, enqueue } from './jobs.ts';
import { post } from './post.ts';
import { type AttemptResult, type MessageResult, messageKinds, sendMessage } from './send-message.ts';
import type { TenantRow } from './tenant-row.ts';
import { testEventType } from './test-delivery.ts';
import { webhookHeaders } from './webhook-headers.ts';
import { type EndpointSecrets, openSecrets } from './webhook-secret.ts';

export interface DeliverySettings {
  readonly rule: AddressRule;
  readonly cipher: ResponseCipher;
  /** Of this process. */
  readonly slots: DeliverySlots;
}

/** Another session held the endpoint's row for too long. */
const lockNotAvailable = '55P03';

/** Every attempt sends the same bytes under the same id; only the signature's time is new. */
export async function deliverWebhook(
  db: PrismaClient,
  settings: DeliverySettings,
  row: TenantRow,
): Promise<MessageResult | 'held_back' | 'test_failed'> {
  const entered = settings.slots.enter(row.tenantId);
  if (entered.kind === 'full') return holdBack(db, row, entered.because);
  try {
    return await deliverInTurn(db, settings, row);
  } catch (error) {
    // Its other deliveries would occupy the slots in the same way, each until it gives up.
    if (sqlState(error) === lockNotAvailable) settings.slots.waited(row.tenantId);
    throw error;
  } finally {
    entered.leave();
  }
}

async function deliverInTurn(
  db: PrismaClient,
  settings: DeliverySettings,
  row: TenantRow,
): Promise<MessageResult | 'held_back' | 'test_failed'> {
  if ((await takeTurn(db, row)) === 'held_back') return holdBack(db, row, 'slow');
  let isTest = false;
  const result = await sendMessage(db, 'delivery', row, async (): Promise<AttemptResult> => {
    const message = await readMessage(db, row);
    isTest = message.type === testEventType;
    if (message.secret === null || message.secretKey === null)
      return { kind: 'cancelled', reason: cancelReasons.removed };
    if (message.disabled) return { kind: 'cancelled', reason: cancelReasons.disabled };
    return send(db, settings, message, { ...message, secret: message.secret, secretKey: message.secretKey });
  });
  // Nothing is lost with a test, so that it failed is no error of the worker.
  return result === 'given_up' && isTest ? 'test_failed' : result;
}

/** As long as the lease of a delivery, which ends before. A worker that dies leaves a turn that expires. */
const turnMs = messageKinds.delivery.leaseMs;

/**
 * An endpoint that failed last time gets one message at a time, and the others wait outside the worker. Otherwise those for
 * one server that does not answer would occupy all of a worker's slots, ten seconds each, and hold up all other endpoints.
 * One delivery wins the conditional UPDATE. A test is not held back, because a person waits for it.
 */
async function takeTurn(db: PrismaClient, { tenantId, id }: TenantRow): Promise<'go' | 'held_back'> {
  const [failing] = await db.$queryRaw<{ taken: boolean }[]>`
    WITH wanted AS (
      SELECT e.tenant_id, e.id FROM merchant_webhook_delivery d
      JOIN merchant_webhook_endpoint e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id
      WHERE d.tenant_id = ${tenantId} AND d.id = ${id}::uuid AND d.status = 'queued'
        AND d.type <> ${testEventType} AND e.failing_since IS NOT NULL),
    taken AS (
      UPDATE merchant_webhook_endpoint e SET turn_until = clock_timestamp() + ${turnMs}::int * interval '1 millisecond'
      FROM wanted WHERE e.tenant_id = wanted.tenant_id AND e.id = wanted.id
        AND (e.turn_until IS NULL OR e.turn_until <= clock_timestamp())
      RETURNING e.id)
    SELECT EXISTS (SELECT FROM taken) AS taken FROM wanted`;
  return failing?.taken === false ? 'held_back' : 'go';
}

/** Of those that wait for one endpoint, how many come back in a second: the worker has to take up each, only to put it back. */
const comeBackPerSecond = 10;
/** A count beyond it costs more than it is worth. */
const maxCounted = 100_000;

/**
 * From the time that one message may take to a minute, or longer where many wait, at random: thousands that wait for one server do
 * not occupy the worker by coming back. How fast a server is that is not known yet shows within a second.
 *
 * The job is a new one, which goes on with the pauses of the former: they would otherwise begin again each time, and the attempts
 * of three days would be used up within an hour.
 */
async function holdBack(
  db: PrismaClient,
  row: TenantRow,
  because: 'not_known' | 'slow',
): Promise<'held_back'> {
  const { attempts, waiting } = await readWaiting(db, row);
  const inMs =
    because === 'slow'
      ? 10_000 + Math.random() * Math.max(50_000, (waiting * 1_000) / comeBackPerSecond)
      : 500 + Math.random() * 1_000;
  await enqueue(db, deliverWebhookTask, row, { inMs, last: true, attempts });
  return 'held_back';
}

/** How often the delivery was tried, and how many wait for the same endpoint. */
async function readWaiting(db: PrismaClient, { tenantId, id }: TenantRow) {
  const [found] = await db.$queryRaw<{ attempts: number; waiting: number }[]>`
    SELECT attempts, (
      SELECT count(*)::int FROM (
        SELECT FROM merchant_webhook_delivery w
        WHERE w.tenant_id = d.tenant_id AND w.endpoint_id = d.endpoint_id AND w.status = 'queued'
        LIMIT ${maxCounted}) AS counted) AS waiting
    FROM merchant_webhook_delivery d WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  return found ?? { attempts: 0, waiting: 0 };
}

type Message = {
  readonly tenantId: string;
  readonly endpointId: string;
  /** The event's id, or that of the test. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly url: string;
  readonly disabled: boolean;
  readonly failing: boolean;
  readonly now: Date;
} & Omit<EndpointSecrets, 'secret' | 'secretKey'> & {
    /** Null when the endpoint was removed. */
    readonly secret: Uint8Array | null;
    readonly secretKey: string | null;
  };

async function readMessage(db: PrismaClient, { tenantId, id }: TenantRow): Promise<Message> {
  const [message] = await db.$queryRaw<Message[]>`
    SELECT d.tenant_id AS "tenantId", d.endpoint_id AS "endpointId", coalesce(d.event_id, d.id) AS id, d.type, d.body,
      e.url, e.disabled_at IS NOT NULL AS disabled, e.failing_since IS NOT NULL AS failing, e.secret,
      e.secret_key AS "secretKey", e.old_secret AS "oldSecret", e.old_secret_key AS "oldSecretKey",
      e.old_secret_until <= clock_timestamp() AS "oldIsOver", clock_timestamp() AS now
    FROM merchant_webhook_delivery d
    JOIN merchant_webhook_endpoint e ON e.tenant_id = d.tenant_id AND e.id = d.endpoint_id
    WHERE d.tenant_id = ${tenantId} AND d.id = ${id}::uuid`;
  if (!message) throw new Error(`There is no delivery ${id}.`);
  return message;
}

async function send(
  db: PrismaClient,
  { rule, cipher, slots }: DeliverySettings,
  message: Message,
  sealed: EndpointSecrets,
): Promise<AttemptResult> {
  const { id, body, url, now } = message;
  const endpoint = { tenantId: message.tenantId, id: message.endpointId };
  const secrets = await openSecrets(db, cipher, endpoint, sealed);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Paidonce-Webhook/1',
    ...webhookHeaders({ id, body, sentAt: now, secrets }),
  };
  const began = performance.now();
  const result = await post(url, { body, headers }, rule);
  const durationMs = Math.round(performance.now() - began);
  slots.took(message.tenantId, durationMs);
  const status = result.kind === 'responded' ? result.status : null;
  const arrived = status !== null && status >= 200 && status <= 299;
  if (message.failing || !arrived) await noteHealth(db, endpoint, arrived);
  const set = Prisma.sql`last_status = ${status}, last_attempt_at = ${now}, last_duration_ms = ${durationMs},
    last_url = ${url}`;
  if (arrived) {
    return { kind: 'done', set: Prisma.sql`status = 'delivered', delivered_at = clock_timestamp(), ${set}` };
  }
  const error = result.kind === 'responded' ? `The endpoint answered ${result.status}.` : result.error;
  // The person who sent a test repeats it by hand.
  return { kind: 'failed', error, set, final: message.type === testEventType };
}

/** Also ends the turn. */
async function noteHealth(db: PrismaClient, { tenantId, id }: TenantRow, arrived: boolean): Promise<void> {
  const since = arrived ? Prisma.sql`NULL` : Prisma.sql`coalesce(failing_since, clock_timestamp())`;
  await db.$executeRaw`
    UPDATE merchant_webhook_endpoint SET failing_since = ${since}, turn_until = NULL
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
}
