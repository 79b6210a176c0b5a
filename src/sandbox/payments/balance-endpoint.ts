import { z } from 'zod';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expand } from '../http/parameters.ts';
import { ok } from '../http/response.ts';

/** What was charged and not refunded, per currency. The sandbox takes no fees and makes no payouts. */
export const balanceEndpoint: Endpoint = endpoint(
  'GET',
  '/v1/balance',
  z.strictObject({ expand }),
  async (work) => {
    const { rows } = await work.tx.query<{ amount: number; currency: string }>(
      `SELECT sum(amount - amount_refunded)::bigint AS amount, currency
     FROM charges WHERE status = 'succeeded' GROUP BY currency ORDER BY currency`,
    );
    const available = rows.length > 0 ? rows : [{ amount: 0, currency: 'usd' }];
    return ok({
      object: 'balance',
      available: available.map(({ amount, currency }) => ({
        amount,
        currency,
        source_types: { card: amount },
      })),
      livemode: false,
      pending: available.map(({ currency }) => ({ amount: 0, currency, source_types: { card: 0 } })),
    });
  },
);
