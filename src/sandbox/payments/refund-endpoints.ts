import { z } from 'zod';
import { noSuch } from '../http/api-error.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf, expandOfList } from '../http/expand.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { integer, metadata, parameters, text } from '../http/parameters.ts';
import { ok, type Work } from '../http/response.ts';
import { readRows } from '../store/read-rows.ts';
import { expandData, expandResponse } from './expand-objects.ts';
import { refundCharge } from './refund.ts';
import { type RefundRow, refundObject } from './refund-object.ts';

export const refundCreation = parameters(
  {
    charge: text.optional(),
    payment_intent: text.optional(),
    amount: integer(1).optional(),
    reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
    metadata: metadata.optional(),
    expand: expandOf('refund'),
  },
  ['currency', 'customer', 'instructions_email', 'origin', 'refund_application_fee', 'reverse_transfer'],
);

const listing = parameters({
  ...listParameters,
  charge: text.optional(),
  payment_intent: text.optional(),
  expand: expandOfList('refund'),
});

export const refundEndpoints: Endpoint[] = [
  endpoint('POST', '/v1/refunds', refundCreation, async (work, input) =>
    expandResponse(work, ok(refundObject(await refundCharge(work, input))), input.expand),
  ),
  endpoint('GET', '/v1/refunds/:id', parameters({ expand: expandOf('refund') }), async (work, input, id) =>
    expandResponse(work, ok(refundObject(await findRefund(work, id))), input.expand),
  ),
  endpoint('GET', '/v1/refunds', listing, async (work, input) => {
    const where = new Conditions();
    if (input.charge !== undefined) where.add('charge =', input.charge);
    if (input.payment_intent !== undefined) where.add('payment_intent =', input.payment_intent);
    const page = await selectPage<RefundRow>(work, 'refunds', where, input);
    const objects = page.rows.map((row) => refundObject(row));
    return ok(listObject('/v1/refunds', await expandData(work, objects, input.expand), page.hasMore));
  }),
];

async function findRefund(work: Work, id: string): Promise<RefundRow> {
  const found = (await readRows(work, 'refunds', [id])).get(id);
  if (!found) throw noSuch('refund', id, 'refund');
  return found;
}
