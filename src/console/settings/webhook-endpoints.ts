import type { ResponseCipher } from '#idempotency/index.ts';
import {
  type AddressRule,
  addEndpoint,
  changeEndpoint,
  type EndpointChoice,
  queueTest,
  removeEndpoint,
  rotateSecret,
  switchEndpoint,
} from '#payments/outbox/console.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

/** Each change is committed with its entry in the audit log. No entry contains a secret. */
export interface EndpointParts {
  readonly db: PrismaClient;
  readonly cipher: ResponseCipher;
  /** Where endpoints may be. */
  readonly rule: AddressRule;
}

export function addWebhookEndpoint(parts: EndpointParts, actor: Actor, choice: EndpointChoice) {
  return parts.db.$transaction(async (tx) => {
    const result = await addEndpoint(tx, actor.tenantId, choice, parts);
    if (result.kind === 'added')
      await write(tx, actor, 'add', result.id, detailsOf({ ...choice, url: result.url }));
    return result;
  });
}

export function changeWebhookEndpoint(
  { db, rule }: EndpointParts,
  actor: Actor,
  id: string,
  choice: Parameters<typeof changeEndpoint>[2],
) {
  return db.$transaction(async (tx) => {
    const result = await changeEndpoint(tx, { tenantId: actor.tenantId, id }, choice, rule);
    if (result.kind === 'changed') {
      await write(tx, actor, 'change', id, { from: detailsOf(result.before), to: detailsOf(result.after) });
    }
    return result;
  });
}

/** False: there is no such endpoint, or it is in that state already. */
export function switchWebhookEndpoint(
  { db }: EndpointParts,
  actor: Actor,
  id: string,
  enabled: boolean,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const row = { tenantId: actor.tenantId, id };
    const ended = await switchEndpoint(tx, row, enabled ? 'enabled' : 'disabled');
    if (ended) await write(tx, actor, enabled ? 'enable' : 'disable', id, { ...ended });
    return ended !== undefined;
  });
}

export function removeWebhookEndpoint({ db }: EndpointParts, actor: Actor, id: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const ended = await removeEndpoint(tx, { tenantId: actor.tenantId, id });
    if (ended) await write(tx, actor, 'remove', id, { ...ended });
    return ended !== undefined;
  });
}

/** The new secret, which is shown once. Undefined: there is no such endpoint. */
export function rotateWebhookSecret({ db, cipher }: EndpointParts, actor: Actor, id: string) {
  return db.$transaction(async (tx) => {
    const rotated = await rotateSecret(tx, { tenantId: actor.tenantId, id }, cipher);
    if (!rotated) return undefined;
    const { secret, url, oldUntil } = rotated;
    await write(tx, actor, 'rotate', id, { url, oldUntil: oldUntil.toISOString() });
    return { secret, oldUntil: oldUntil.toISOString() };
  });
}

/** The id of the delivery. Undefined: there is no such endpoint, or it is disabled. */
export function testWebhookEndpoint(
  { db }: EndpointParts,
  actor: Actor,
  id: string,
): Promise<string | undefined> {
  return db.$transaction(async (tx) => {
    const test = await queueTest(tx, { tenantId: actor.tenantId, id });
    if (test?.isNew) await write(tx, actor, 'test', id, { deliveryId: test.deliveryId });
    return test?.deliveryId;
  });
}

type Verb = 'add' | 'change' | 'enable' | 'disable' | 'remove' | 'rotate' | 'test';

async function write(
  tx: Prisma.TransactionClient,
  actor: Actor,
  verb: Verb,
  id: string,
  details: Prisma.InputJsonObject,
): Promise<void> {
  const subject = { type: 'webhook_endpoint', id };
  await writeAuditEntry(tx, actor, { action: `webhook_endpoint.${verb}`, subject, details });
}

function detailsOf({ url, description, eventTypes }: EndpointChoice): Prisma.InputJsonObject {
  return { url, description, eventTypes: eventTypes.length === 0 ? 'all' : [...eventTypes] };
}
