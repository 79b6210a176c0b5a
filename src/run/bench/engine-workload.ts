import type pg from 'pg';
import { type Handler, type OperationDefinition, type RowStatement, rowWrite } from '#idempotency/index.ts';
import { createPgDriver } from '#idempotency/stores/postgres.ts';
import { openEngine } from './open-engine.ts';
import { benchTenant, type Command, type OpenOptions, responseOf, type Workload } from './workload.ts';

type Tx = pg.PoolClient;

/** The rows that every competitor writes: one payment, two ledger entries, one event. */
const completion: RowStatement<{
  payment_key: string;
  order_id: string;
  amount_cents: number;
  currency: string;
  charge_id: string;
}> = {
  name: 'bench',
  columns: {
    payment_key: 'text',
    order_id: 'text',
    amount_cents: 'bigint',
    currency: 'text',
    charge_id: 'text',
  },
  sql: `
    paid AS (
      INSERT INTO payments (key, order_id, amount_cents, currency, charge_id)
      SELECT payment_key, order_id, amount_cents, currency, charge_id FROM rows
      RETURNING id, amount_cents, charge_id),
    booked AS (
      INSERT INTO ledger (payment_id, account, direction, amount_cents)
      SELECT id, account, direction, amount_cents
      FROM paid, (VALUES ('customer', 'debit'), ('merchant', 'credit')) AS side (account, direction)),
    published AS (
      INSERT INTO outbox (topic, payload)
      SELECT 'payment.captured', jsonb_build_object('chargeId', charge_id) FROM paid)`,
};

const hour = 3_600_000;

/** The engine alone. `commits: 2` leaves out the commit before the provider is called: a crash is then unknown. */
export function openEngineWorkload(options: OpenOptions, { commits }: { readonly commits: 2 | 3 }): Workload {
  const { provider } = options;
  const { engine, close } = openEngine(options, createPgDriver);
  const operation: OperationDefinition<Tx> = {
    name: 'bench.pay',
    apiVersion: '1',
    recoveryPoints: { claimed: commits === 2 ? 'sent' : 'unsent', sent: 'sent' },
    retention: { replayMs: hour, bodyMs: hour, metadataMs: hour },
    checks: { firstInMs: 60_000, pausesMs: [] },
    responseSchemaVersion: 1,
    retryAfterSeconds: 1,
  };

  const handlerOf = (key: string, command: Command): Handler<{ chargeId: string }, Tx> => {
    return async (execution) => {
      if (commits === 3) await execution.phase('sent');
      const chargeId = await provider.charge(key);
      return {
        kind: 'completed',
        status: 201,
        body: { chargeId, amountCents: command.amountCents },
        cause: 'charged',
        writes: rowWrite(completion, {
          payment_key: key,
          order_id: command.orderId,
          amount_cents: command.amountCents,
          currency: command.currency,
          charge_id: chargeId,
        }),
      };
    };
  };

  return {
    async pay(key, command) {
      const request = { tenantId: benchTenant, principal: 'bench', keyHeader: key, input: command };
      return responseOf(await engine.run(operation, request, handlerOf(key, command)));
    },
    close,
  };
}
