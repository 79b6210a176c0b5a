import { Prisma, type PrismaClient } from '#prisma';
import { keyOf } from '../payment-rows.ts';
import type { AddressRule } from './address-rule.ts';
import type { TenantRow } from './jobs.ts';
import { type Attempt, attempt, type Effect } from './perform.ts';
import { post } from './post.ts';
import { sign, signatureHeader } from './signature.ts';

/** Every attempt sends the same bytes under the same ids; only the signature's time is new. */
export function deliverWebhook(db: PrismaClient, rule: AddressRule, row: TenantRow): Promise<Attempt> {
  return attempt(db, 'delivery', row, async (): Promise<Effect> => {
    const { body, eventId, endpoint } = await db.merchantWebhookDelivery.findUniqueOrThrow({
      where: keyOf(row),
      include: { endpoint: true },
    });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Paidonce-Webhook/1',
      'Paidonce-Event': eventId,
      'Paidonce-Delivery': row.id,
      [signatureHeader]: sign(body, endpoint.secret, new Date()),
    };
    const result = await post(endpoint.url, { body, headers }, rule);
    if (result.kind === 'no_response') {
      return { kind: 'failed', error: result.error, set: Prisma.sql`last_status = NULL` };
    }
    const lastStatus = Prisma.sql`last_status = ${result.status}`;
    if (result.status < 200 || result.status > 299) {
      return { kind: 'failed', error: `The endpoint answered ${result.status}.`, set: lastStatus };
    }
    return {
      kind: 'done',
      set: Prisma.sql`status = 'delivered', delivered_at = clock_timestamp(), ${lastStatus}`,
    };
  });
}
