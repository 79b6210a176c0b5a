import type { Work } from '../http/response.ts';
import type { ChargeRow } from '../payments/charge.ts';
import type { IntentRow } from '../payments/intent.ts';
import type { RefundRow } from '../payments/refund-object.ts';

interface Rows {
  intents: IntentRow;
  charges: ChargeRow;
  refunds: RefundRow;
}

const TABLES: Record<keyof Rows, string> = {
  intents: 'payment_intents',
  charges: 'charges',
  refunds: 'refunds',
};

/** Rows as this request leaves them: one that it has changed or made is not in the database yet, and is not read. */
export async function readRows<Kind extends keyof Rows>(
  work: Work,
  kind: Kind,
  ids: string[],
): Promise<Map<string, Rows[Kind]>> {
  const changed: Map<string, Rows[keyof Rows]> = work.changes[kind];
  const own = ids.flatMap((id) => changed.get(id) ?? []) as Rows[Kind][];
  const others = ids.filter((id) => !changed.has(id));
  const stored = others.length === 0 ? [] : await select(work, kind, others);
  return new Map([...own, ...stored].map((row) => [row.id, row]));
}

async function select<Kind extends keyof Rows>(work: Work, kind: Kind, ids: string[]): Promise<Rows[Kind][]> {
  const { rows } = await work.db.query<Rows[Kind]>({
    name: `read_${kind}`,
    text: `SELECT * FROM ${TABLES[kind]} WHERE id = ANY ($1)`,
    values: [ids],
  });
  return rows;
}
