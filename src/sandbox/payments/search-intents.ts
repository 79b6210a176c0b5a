import { z } from 'zod';
import { invalidRequest } from '../http/api-error.ts';
import { Conditions } from '../http/list.ts';
import { expand, integer, text } from '../http/parameters.ts';
import type { Work } from '../http/response.ts';
import type { IntentRow } from './intent.ts';
import { intentObject } from './intent-object.ts';

export const searchParameters = z.strictObject({
  query: text,
  limit: integer(1, 100).optional(),
  page: text.optional(),
  expand,
});

// One clause of Stripe's search language: metadata['order']:'7', status:'succeeded', amount>=100, created<1700000000.
const KEY = String.raw`metadata\[(?:'(?<singleKey>[^']+)'|"(?<doubleKey>[^"]+)")\]`;
const FIELD = '(?<field>status|currency|amount|created)';
const VALUE = String.raw`(?:'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<number>\d+))`;
const CLAUSE = new RegExp(String.raw`^(?:${KEY}|${FIELD})\s*(?<operator>:|>=|<=|>|<)\s*${VALUE}$`);

const NUMERIC = new Set(['amount', 'created']);

/** Stripe's index lags by up to a minute, this search does not. Callers must not rely on that. */
export async function searchIntents(work: Work, input: z.output<typeof searchParameters>): Promise<object> {
  const where = new Conditions();
  for (const clause of splitClauses(input.query)) addClause(where, clause);
  if (input.page !== undefined) where.add('sequence <', decodePage(input.page));
  const limit = input.limit ?? 10;
  const { rows } = await work.tx.query<IntentRow>(
    `SELECT * FROM payment_intents WHERE ${where} ORDER BY sequence DESC LIMIT ${limit + 1}`,
    where.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    object: 'search_result',
    url: '/v1/payment_intents/search',
    has_more: rows.length > limit,
    data: page.map((row) => intentObject(row)),
    next_page: rows.length > limit && last ? encodePage(last.sequence) : null,
  };
}

function addClause(where: Conditions, clause: string): void {
  const groups = CLAUSE.exec(clause)?.groups;
  if (!groups) throw unparsable(clause);
  const { field, operator, number } = groups;
  const key = groups.singleKey ?? groups.doubleKey;
  const quoted = groups.single ?? groups.double;
  if (field !== undefined && NUMERIC.has(field) && number !== undefined) {
    where.add(`${field} ${operator === ':' ? '=' : operator}`, Number(number));
  } else if (operator !== ':' || quoted === undefined) {
    throw unparsable(clause);
  } else if (key !== undefined) {
    where.add('metadata @>', JSON.stringify({ [key]: quoted }));
  } else {
    where.add(`${field} =`, quoted);
  }
}

// An AND inside quotes belongs to the value, so a quoted value is matched as a whole.
function splitClauses(query: string): string[] {
  const clauses = query.trim().matchAll(/((?:"[^"]*"|'[^']*'|[^"'])+?)(?:\s+AND\s+|$)/gi);
  return [...clauses].map((match) => match[1] ?? '');
}

function unparsable(clause: string) {
  return invalidRequest(
    `We were unable to parse your search query near: ${clause}. The sandbox understands metadata['key']:'value', status, currency, amount and created, joined by AND.`,
    { param: 'query' },
  );
}

function encodePage(sequence: number): string {
  return Buffer.from(`intents ${sequence}`).toString('base64url');
}

function decodePage(page: string): number {
  const sequence = /^intents (\d+)$/.exec(Buffer.from(page, 'base64url').toString())?.[1];
  if (sequence === undefined) throw invalidRequest('Invalid page.', { param: 'page' });
  return Number(sequence);
}
