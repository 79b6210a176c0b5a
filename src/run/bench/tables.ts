/** The tables of the workload that all contestants share: one payment, two ledger entries, one event. */
export const benchTables = `
  CREATE TABLE IF NOT EXISTS idem_keys (
    key text PRIMARY KEY, hash text NOT NULL, status text NOT NULL,
    response jsonb, created_at timestamptz NOT NULL DEFAULT now(), completed_at timestamptz);
  CREATE TABLE IF NOT EXISTS payments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key text NOT NULL, order_id text NOT NULL,
    amount_cents bigint NOT NULL, currency text NOT NULL, charge_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX IF NOT EXISTS payments_key ON payments (key);
  CREATE TABLE IF NOT EXISTS ledger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payment_id bigint NOT NULL,
    account text NOT NULL, direction text NOT NULL, amount_cents bigint NOT NULL);
  CREATE TABLE IF NOT EXISTS outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, topic text NOT NULL,
    payload jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`;

/** The rows of a payment as one statement. With a key, the key is completed by it. */
export function writeRows({
  values,
  completesKey,
}: {
  readonly values: Rows;
  readonly completesKey: boolean;
}) {
  const { key, orderId, amount, currency, chargeId } = values;
  const rows = `
    WITH p AS (
      INSERT INTO payments (key, order_id, amount_cents, currency, charge_id)
      VALUES (${key}, ${orderId}, ${amount}, ${currency}, ${chargeId}) RETURNING id),
    l AS (
      INSERT INTO ledger (payment_id, account, direction, amount_cents)
      SELECT p.id, side.account, side.direction, ${amount}
      FROM p, (VALUES ('customer', 'debit'), ('merchant', 'credit')) AS side (account, direction)),
    o AS (
      INSERT INTO outbox (topic, payload)
      SELECT 'payment.captured', jsonb_build_object('paymentId', p.id, 'chargeId', ${chargeId}) FROM p)`;
  if (!completesKey) return `${rows} SELECT id FROM p`;
  return `${rows}
    UPDATE idem_keys SET status = 'done', completed_at = now(),
      response = jsonb_build_object('paymentId', p.id, 'chargeId', ${chargeId})
    FROM p WHERE idem_keys.key = ${key}`;
}

/** SQL expressions. */
export interface Rows {
  readonly key: string;
  readonly orderId: string;
  readonly amount: string;
  readonly currency: string;
  readonly chargeId: string;
}
