import { z } from 'zod';
import { invalidRequest, noSuch } from './api-error.ts';
import { integer, text } from './parameters.ts';
import type { Work } from './response.ts';

const epochSeconds = integer(0, 99_999_999_999);

export const listParameters = {
  limit: integer(1, 100).optional(),
  starting_after: text.optional(),
  ending_before: text.optional(),
  created: z
    .union([
      epochSeconds,
      z.strictObject({
        gt: epochSeconds.optional(),
        gte: epochSeconds.optional(),
        lt: epochSeconds.optional(),
        lte: epochSeconds.optional(),
      }),
    ])
    .optional(),
};

export type ListInput = z.output<z.ZodObject<typeof listParameters>>;

type Table = 'payment_intents' | 'charges' | 'refunds' | 'events' | 'webhook_endpoints';

const NAMES: Record<Table, string> = {
  payment_intents: 'payment_intent',
  charges: 'charge',
  refunds: 'refund',
  events: 'event',
  webhook_endpoints: 'webhook endpoint',
};

/** Builds a WHERE clause. Values become bound parameters and never part of the SQL text. */
export class Conditions {
  readonly #clauses: string[] = [];
  readonly values: unknown[] = [];

  add(left: string, value: unknown): this {
    this.values.push(value);
    this.#clauses.push(`${left} $${this.values.length}`);
    return this;
  }

  toString(): string {
    return this.#clauses.length === 0 ? 'true' : this.#clauses.join(' AND ');
  }
}

export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** Newest first, as at Stripe. One row more than requested is read, to know whether there is another page. */
export async function selectPage<Row>(
  work: Work,
  table: Table,
  where: Conditions,
  input: ListInput,
): Promise<Page<Row>> {
  const limit = input.limit ?? 10;
  if (input.starting_after !== undefined && input.ending_before !== undefined) {
    throw invalidRequest(
      'Received both starting_after and ending_before parameters. Please pass in only one.',
    );
  }
  addCreated(where, input.created);
  const backwards = input.ending_before !== undefined;
  if (input.starting_after !== undefined) {
    where.add('sequence <', await sequenceOf(work, table, input.starting_after, 'starting_after'));
  } else if (input.ending_before !== undefined) {
    where.add('sequence >', await sequenceOf(work, table, input.ending_before, 'ending_before'));
  }
  const { rows } = await work.db.query(
    `SELECT * FROM ${table} WHERE ${where} ORDER BY sequence ${backwards ? 'ASC' : 'DESC'} LIMIT ${limit + 1}`,
    where.values,
  );
  const page = rows.slice(0, limit) as Row[];
  return { rows: backwards ? page.reverse() : page, hasMore: rows.length > limit };
}

export function listObject(url: string, data: object[], hasMore: boolean): object {
  return { object: 'list', data, has_more: hasMore, url };
}

function addCreated(where: Conditions, created: ListInput['created']): void {
  if (created === undefined) return;
  if (typeof created === 'number') {
    where.add('created =', created);
    return;
  }
  if (created.gt !== undefined) where.add('created >', created.gt);
  if (created.gte !== undefined) where.add('created >=', created.gte);
  if (created.lt !== undefined) where.add('created <', created.lt);
  if (created.lte !== undefined) where.add('created <=', created.lte);
}

async function sequenceOf(work: Work, table: Table, id: string, param: string): Promise<number> {
  const { rows } = await work.db.query<{ sequence: number }>(`SELECT sequence FROM ${table} WHERE id = $1`, [
    id,
  ]);
  const found = rows[0];
  if (!found) throw noSuch(NAMES[table], id, param, 400);
  return found.sequence;
}
