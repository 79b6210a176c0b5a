import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { expandOf } from '../http/expand.ts';
import { parameters } from '../http/parameters.ts';
import { ok } from '../http/response.ts';
import { findBalanceTransaction } from './balance-transaction.ts';

/** What was charged and not refunded, per currency. The sandbox takes no fees and makes no payouts. */
const balance: Endpoint = endpoint(
  'GET',
  '/v1/balance',
  parameters({ expand: expandOf(null) }),
  async (work) => {
    const { rows } = await work.db.query<{ amount: number; currency: string }>(
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

export const balanceEndpoints: Endpoint[] = [
  balance,
  endpoint(
    'GET',
    '/v1/balance_transactions/:id',
    parameters({ expand: expandOf(null) }),
    async (work, _input, id) => ok(await findBalanceTransaction(work, id)),
  ),
];
