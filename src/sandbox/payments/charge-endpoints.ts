import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { Conditions, listObject, listParameters, selectPage } from '../http/list.ts';
import { noParameters, text } from '../http/parameters.ts';
import { ok } from '../http/response.ts';
import { type ChargeRow, findCharge } from './charge.ts';
import { chargeObject } from './charge-object.ts';

const listing = z.strictObject({ ...listParameters, payment_intent: text.optional() });

export const chargeEndpoints: Endpoint[] = [
  endpoint('GET', '/v1/charges/:id', noParameters, async (work, _input, id) =>
    ok(chargeObject(await findCharge(work, id))),
  ),
  endpoint('GET', '/v1/charges', listing, async (work, input) => {
    const where = new Conditions();
    if (input.payment_intent !== undefined) where.add('payment_intent =', input.payment_intent);
    const page = await selectPage<ChargeRow>(work, 'charges', where, input);
    return ok(listObject('/v1/charges', page.rows.map(chargeObject), page.hasMore));
  }),
];
