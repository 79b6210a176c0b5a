import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf, expandOfList } from '../http/expand.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { parameters, text } from '../http/parameters.ts';
import { ok } from '../http/response.ts';
import { type ChargeRow, findCharge } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { expandData, expandResponse } from './expand-objects.ts';

const listing = parameters(
  { ...listParameters, payment_intent: text.optional(), expand: expandOfList('charge') },
  ['customer', 'transfer_group'],
);

export const chargeEndpoints: Endpoint[] = [
  endpoint('GET', '/v1/charges/:id', parameters({ expand: expandOf('charge') }), async (work, input, id) =>
    expandResponse(work, ok(chargeObject(await findCharge(work, id))), input.expand),
  ),
  endpoint('GET', '/v1/charges', listing, async (work, input) => {
    const where = new Conditions();
    if (input.payment_intent !== undefined) where.add('payment_intent =', input.payment_intent);
    const page = await selectPage<ChargeRow>(work, 'charges', where, input);
    const objects = page.rows.map((row) => chargeObject(row));
    return ok(listObject('/v1/charges', await expandData(work, objects, input.expand), page.hasMore));
  }),
];
