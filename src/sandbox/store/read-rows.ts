import type { Work } from '../http/response.ts';
import type { ChargeRow } from '../payments/charge.ts';
import type { IntentRow } from '../payments/intent.ts';
import type { RefundRow } from '../payments/refund-object.ts';
import { Batch } from './batch.ts';
import type { Queryable } from './database.ts';

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

/** Reads rows by their ids. Requests that read at the same time share a statement. */
export class RowReader {
  readonly #batches: { [Kind in keyof Rows]: Batch<string, Rows[Kind] | undefined> };

  constructor(db: Queryable) {
    const batch = <Kind extends keyof Rows>(kind: Kind) =>
      new Batch<string, Rows[Kind] | undefined>({ execute: (ids) => select(db, kind, ids) });
    this.#batches = { intents: batch('intents'), charges: batch('charges'), refunds: batch('refunds') };
  }

  read<Kind extends keyof Rows>(kind: Kind, id: string): Promise<Rows[Kind] | undefined> {
    return this.#batches[kind].run(id);
  }
}

/** Rows as this request leaves them: one that it has changed or made is not in the database yet, and is not read. */
export async function readRows<Kind extends keyof Rows>(
  { changes, reader }: Work,
  kind: Kind,
  ids: string[],
): Promise<Map<string, Rows[Kind]>> {
  const changed: ReadonlyMap<string, Rows[keyof Rows]> = changes[kind];
  const rows = await Promise.all(
    ids.map((id) => (changed.get(id) as Rows[Kind] | undefined) ?? reader.read(kind, id)),
  );
  return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])));
}

async function select<Kind extends keyof Rows>(
  db: Queryable,
  kind: Kind,
  ids: readonly string[],
): Promise<(Rows[Kind] | undefined)[]> {
  const { rows } = await db.query<Rows[Kind]>({
    name: `read_${kind}`,
    text: `SELECT * FROM ${TABLES[kind]} WHERE id = ANY ($1)`,
    values: [ids],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}
