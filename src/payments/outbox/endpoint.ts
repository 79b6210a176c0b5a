import { randomUUID } from 'node:crypto';
import type { ResponseCipher } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import { type AddressRule, isAllowedUrl } from './address-rule.ts';
import type { PaymentEventType } from './emit-event.ts';
import { isRow, type TenantRow } from './tenant-row.ts';
import { mintSecret, sealSecret } from './webhook-secret.ts';

/**
 * Ten leave room for a live, a test and an accounting system in a few countries. Every event is stored and sent once for
 * each, so without a limit one payment could cost any number of requests.
 */
export const maxEndpoints = 10;

export interface EndpointChoice {
  readonly url: string;
  readonly description: string;
  /** Empty: all types, also those to come. */
  readonly eventTypes: readonly PaymentEventType[];
}

/** Why an address is not accepted. */
export type UrlProblem = { readonly kind: 'url_refused' } | { readonly kind: 'url_taken' };

export type AddEndpointResult =
  /** Only this result contains the secret; it is stored sealed. */
  | { readonly kind: 'added'; readonly id: string; readonly url: string; readonly secret: string }
  | { readonly kind: 'too_many' }
  | UrlProblem;

export async function addEndpoint(
  tx: Prisma.TransactionClient,
  tenantId: string,
  choice: EndpointChoice,
  { rule, cipher }: { readonly rule: AddressRule; readonly cipher: ResponseCipher },
): Promise<AddEndpointResult> {
  await lockEndpoints(tx, tenantId);
  const id = randomUUID();
  const url = await checkUrl(tx, { tenantId, id }, choice.url, rule);
  if (typeof url !== 'string') return url;
  const count = await tx.merchantWebhookEndpoint.count({ where: { tenantId, removedAt: null } });
  if (count >= maxEndpoints) return { kind: 'too_many' };
  const secret = mintSecret();
  const { description, eventTypes } = choice;
  await tx.merchantWebhookEndpoint.create({
    data: { tenantId, id, url, description, eventTypes: [...eventTypes], ...sealSecret(cipher, id, secret) },
  });
  return { kind: 'added', id, url, secret };
}

export type ChangeEndpointResult =
  | { readonly kind: 'changed'; readonly before: EndpointChoice; readonly after: EndpointChoice }
  | { readonly kind: 'not_found' }
  /** It was changed since the page was opened: to save all of its values would undo that unseen. */
  | { readonly kind: 'outdated' }
  | UrlProblem;

/**
 * What waits is sent to the new address: a wrong one is why most deliveries fail. `seen` is what the owner's page showed; undefined:
 * not compared.
 */
export async function changeEndpoint(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
  { seen, ...choice }: EndpointChoice & { readonly seen?: EndpointChoice | undefined },
  rule: AddressRule,
): Promise<ChangeEndpointResult> {
  await lockEndpoints(tx, endpoint.tenantId);
  const before = await tx.merchantWebhookEndpoint.findUnique({
    where: { ...byId(endpoint), removedAt: null },
    select: { url: true, description: true, eventTypes: true },
  });
  if (!before) return { kind: 'not_found' };
  const url = await checkUrl(tx, endpoint, choice.url, rule);
  if (typeof url !== 'string') return url;
  const after = { url, description: choice.description, eventTypes: [...choice.eventTypes] };
  // The same values again are a repeated request, whose first response was lost.
  if (seen && !isSame(before, seen) && !isSame(before, after)) return { kind: 'outdated' };
  await tx.merchantWebhookEndpoint.update({ where: byId(endpoint), data: after });
  return {
    kind: 'changed',
    before: { ...before, eventTypes: before.eventTypes as PaymentEventType[] },
    after,
  };
}

type Shown = Omit<EndpointChoice, 'eventTypes'> & { readonly eventTypes: readonly string[] };

function isSame(one: Shown, other: Shown): boolean {
  const types = new Set(one.eventTypes);
  return (
    one.url === other.url &&
    one.description === other.description &&
    types.size === other.eventTypes.length &&
    other.eventTypes.every((type) => types.has(type))
  );
}

/** Two that add or change at once would each count and compare without the other's. Payments do not wait for this lock. */
async function lockEndpoints(tx: Prisma.TransactionClient, tenantId: string): Promise<void> {
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
}

/** The address as it is stored. */
async function checkUrl(
  tx: Prisma.TransactionClient,
  { tenantId, id }: TenantRow,
  text: string,
  rule: AddressRule,
): Promise<string | UrlProblem> {
  if (!isAllowedUrl(text, rule)) return { kind: 'url_refused' };
  const url = new URL(text).href;
  const taken = await tx.merchantWebhookEndpoint.findFirst({
    where: { tenantId, url, removedAt: null, NOT: { id } },
    select: { id: true },
  });
  return taken ? { kind: 'url_taken' } : url;
}

/** What became of an endpoint that was switched or removed. */
export interface EndpointEnd {
  readonly url: string;
  /** How many deliveries waited, and are not made. */
  readonly cancelled: number;
}

/** Undefined: there is no such endpoint, or it is in that state already. A disabled endpoint gets no events, also not later. */
export async function switchEndpoint(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
  to: 'enabled' | 'disabled',
): Promise<EndpointEnd | undefined> {
  const [switched] =
    to === 'enabled'
      ? await tx.$queryRaw<{ url: string }[]>`
          UPDATE merchant_webhook_endpoint SET disabled_at = NULL, failing_since = NULL, turn_until = NULL
          WHERE ${isRow(endpoint)} AND removed_at IS NULL AND disabled_at IS NOT NULL RETURNING url`
      : await tx.$queryRaw<{ url: string }[]>`
          UPDATE merchant_webhook_endpoint SET disabled_at = clock_timestamp()
          WHERE ${isRow(endpoint)} AND removed_at IS NULL AND disabled_at IS NULL RETURNING url`;
  if (!switched) return undefined;
  return {
    ...switched,
    cancelled: to === 'disabled' ? await cancelWaiting(tx, endpoint, cancelReasons.disabled) : 0,
  };
}

/** Its row stays, so that its deliveries can be read; its secrets are deleted. */
export async function removeEndpoint(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
): Promise<EndpointEnd | undefined> {
  const [removed] = await tx.$queryRaw<{ url: string }[]>`
    UPDATE merchant_webhook_endpoint SET removed_at = clock_timestamp(), secret = NULL, secret_key = NULL,
      old_secret = NULL, old_secret_key = NULL, old_secret_until = NULL
    WHERE ${isRow(endpoint)} AND removed_at IS NULL RETURNING url`;
  return removed && { ...removed, cancelled: await cancelWaiting(tx, endpoint, cancelReasons.removed) };
}

/** Why a delivery is cancelled, for people. */
export const cancelReasons = {
  disabled: 'The endpoint was disabled before this could be delivered.',
  removed: 'The endpoint was removed before this could be delivered.',
} as const;

/**
 * One that a worker is sending at this moment is cancelled as well; if it arrives, that is what its row says in the end. One
 * that is written at this moment is found by the worker, which reads the endpoint before it sends.
 */
async function cancelWaiting(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
  reason: string,
): Promise<number> {
  const { count } = await tx.merchantWebhookDelivery.updateMany({
    where: { tenantId: endpoint.tenantId, endpointId: endpoint.id, status: 'queued' },
    data: { status: 'cancelled', leaseUntil: null, lastError: reason },
  });
  return count;
}
