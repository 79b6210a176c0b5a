import { z } from 'zod';
import type { Work } from '../http/answer.ts';
import { invalidRequest } from '../http/api-error.ts';
import { Conditions } from '../http/list.ts';
import { expand, integer, text } from '../http/parameters.ts';
import type { IntentRow } from './intent.ts';
import { intentObject } from './intent-object.ts';

export const searchParameters = z.strictObject({
  query: text,
  limit: integer(1, 100).optional(),
  page: text.optional(),
  expand,
});

// One clause of Stripe's search language: metadata['order']:'7', status:'succeeded', amount>=100, created<1700000000.
const CLAUSE =
  /^(?:metadata\[(?<open>["'])(?<key>.+?)\k<open>\]|(?<field>status|currency|amount|created))\s*(?<operator>:|>=|<=|>|<)\s*(?:(?<quote>["'])(?<value>.*?)\k<quote>|(?<number>\d+))$/;

const NUMERIC = new Set(['amount', 'created']);

/** Unlike Stripe's index, which lags by up to a minute, this one is always current. Nobody should rely on that. */
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
  if (!groups) throw unreadable(clause);
  const { key, field, operator, value, number } = groups;
  if (key !== undefined) {
    if (operator !== ':' || value === undefined) throw unreadable(clause);
    where.add('metadata @>', JSON.stringify({ [key]: value }));
  } else if (field !== undefined && NUMERIC.has(field)) {
    where.add(`${field} ${operator === ':' ? '=' : operator}`, Number(number ?? value));
  } else if (field !== undefined && operator === ':') {
    where.add(`${field} =`, value);
  } else {
    throw unreadable(clause);
  }
}

// AND inside quotes is text, not grammar: quoted runs are consumed whole.
function splitClauses(query: string): string[] {
  const clauses = query.trim().matchAll(/((?:"[^"]*"|'[^']*'|[^"'])+?)(?:\s+AND\s+|$)/gi);
  return [...clauses].map((match) => match[1] ?? '');
}

function unreadable(clause: string) {
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
