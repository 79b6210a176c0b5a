import { z } from 'zod';
import { noSuch } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { expand, integer, metadata, noParameters, text } from '../http/parameters.ts';
import { ok, type Work } from '../http/response.ts';
import { type RefundRow, refundCharge, refundObject } from './refund.ts';

const creation = z.strictObject({
  charge: text.optional(),
  payment_intent: text.optional(),
  amount: integer(1, 99_999_999).optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.optional(),
  expand,
});

const listing = z.strictObject({
  ...listParameters,
  charge: text.optional(),
  payment_intent: text.optional(),
});

export const refundEndpoints: Endpoint[] = [
  endpoint('POST', '/v1/refunds', creation, async (work, input) =>
    ok(refundObject(await refundCharge(work, input))),
  ),
  endpoint('GET', '/v1/refunds/:id', noParameters, async (work, _input, id) =>
    ok(refundObject(await findRefund(work, id))),
  ),
  endpoint('GET', '/v1/refunds', listing, async (work, input) => {
    const where = new Conditions();
    if (input.charge !== undefined) where.add('charge =', input.charge);
    if (input.payment_intent !== undefined) where.add('payment_intent =', input.payment_intent);
    const page = await selectPage<RefundRow>(work, 'refunds', where, input);
    return ok(listObject('/v1/refunds', page.rows.map(refundObject), page.hasMore));
  }),
];

async function findRefund(work: Work, id: string): Promise<RefundRow> {
  const { rows } = await work.tx.query<RefundRow>('SELECT * FROM refunds WHERE id = $1', [id]);
  const found = rows[0];
  if (!found) throw noSuch('refund', id, 'refund');
  return found;
}
