import type { z } from 'zod';
import { type ApiError, invalidRequest } from '../http/api-error.ts';
import { expandOfList } from '../http/expand.ts';
import { integer, parameters, text } from '../http/parameters.ts';
import type { Work } from '../http/response.ts';
import { expandData } from './expand-objects.ts';
import type { IntentRow } from './intent.ts';
import { intentObject } from './intent-object.ts';

export const searchParameters = parameters({
  query: text,
  limit: integer(1, 100).optional(),
  page: text.optional(),
  expand: expandOfList('payment_intent', ['total_count']),
});

// One clause of Stripe's search language: metadata['order']:'7', -status:'succeeded', amount>=100, metadata['x']:null.
const KEY = String.raw`metadata\[(?:'(?<singleKey>[^']+)'|"(?<doubleKey>[^"]+)")\]`;
const FIELD = '(?<field>status|currency|amount|created)';
const VALUE = String.raw`(?:'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<number>\d+)|(?<nothing>null))`;
const CLAUSE = new RegExp(
  String.raw`^(?<negated>-)?(?:${KEY}|${FIELD})\s*(?<operator>:|>=|<=|>|<)\s*${VALUE}$`,
  'i',
);

const NUMERIC = new Set(['amount', 'created']);

interface Condition {
  sql: string;
  values: unknown[];
}

/** Stripe's index lags by up to a minute, this search does not. Callers must not rely on that. */
export async function searchIntents(work: Work, input: z.output<typeof searchParameters>): Promise<object> {
  const { sql, values } = parseQuery(input.query);
  const limit = input.limit ?? 10;
  const { rows } = await work.db.query<IntentRow & { sequence: number }>(
    `SELECT * FROM payment_intents WHERE (${sql}) AND sequence < $${values.length + 1}
     ORDER BY sequence DESC LIMIT ${limit + 1}`,
    [...values, input.page === undefined ? Number.MAX_SAFE_INTEGER : decodePage(input.page)],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    object: 'search_result',
    url: '/v1/payment_intents/search',
    has_more: rows.length > limit,
    data: await expandData(work, page.map(intentObject), input.expand),
    next_page: rows.length > limit && last ? encodePage(last.sequence) : null,
    ...(input.expand?.includes('total_count') ? { total_count: await count(work, { sql, values }) } : {}),
  };
}

async function count(work: Work, { sql, values }: Condition): Promise<number> {
  const { rows } = await work.db.query<{ found: number }>(
    `SELECT count(*) AS found FROM payment_intents WHERE ${sql}`,
    values,
  );
  return rows[0]?.found ?? 0;
}

function parseQuery(query: string): Condition {
  const { clauses, joiner } = splitClauses(query);
  const parts: string[] = [];
  const values: unknown[] = [];
  for (const clause of clauses) {
    const { sql, values: own } = parseClause(clause);
    parts.push(sql.replace('?', `$${values.length + 1}`));
    values.push(...own);
  }
  return { sql: parts.join(` ${joiner} `), values };
}

/** The `?` in the SQL stands for the one value that a clause has. */
function parseClause(clause: string): Condition {
  const groups = CLAUSE.exec(clause)?.groups;
  if (!groups) throw unparsable();
  const condition = conditionOf(groups);
  return groups.negated ? { ...condition, sql: `NOT (${condition.sql})` } : condition;
}

function conditionOf(groups: Record<string, string | undefined>): Condition {
  const { operator, number, nothing } = groups;
  const field = groups.field?.toLowerCase();
  const key = groups.singleKey ?? groups.doubleKey;
  const quoted = groups.single ?? groups.double;
  if (field !== undefined && NUMERIC.has(field)) {
    const value = number ?? quoted;
    if (value === undefined || !/^\d{1,15}$/.test(value)) throw unparsable();
    return { sql: `${field} ${operator === ':' ? '=' : operator} ?`, values: [Number(value)] };
  }
  if (operator !== ':') throw unparsable();
  if (key !== undefined && nothing) return { sql: 'metadata -> ? IS NULL', values: [key] };
  if (quoted === undefined) throw unparsable();
  if (key !== undefined) return { sql: 'metadata @> ?', values: [JSON.stringify({ [key]: quoted })] };
  return { sql: `${field} = ?`, values: [quoted] };
}

// A quoted value is matched as a whole: an AND inside it belongs to the value.
const PART = /((?:"[^"]*"|'[^']*'|[^\s"'])+(?:\s*(?::|>=|<=|>|<)\s*(?:"[^"]*"|'[^']*'|\w+))?)(?:\s+|$)/g;

/** Clauses are joined by AND, by OR or by a space, which means AND. */
function splitClauses(query: string): { clauses: string[]; joiner: 'AND' | 'OR' } {
  const parts = [...query.trim().matchAll(PART)].map((part) => part[1] ?? '');
  const joiners = new Set(parts.map((part) => part.toUpperCase()).filter((part) => JOINERS.has(part)));
  if (joiners.size > 1) {
    throw invalidRequest('You cannot combine AND and OR in the same search query.', { param: 'query' });
  }
  const clauses = parts.filter((part) => !JOINERS.has(part.toUpperCase()));
  if (clauses.length === 0) throw unparsable();
  return { clauses, joiner: joiners.has('OR') ? 'OR' : 'AND' };
}

const JOINERS = new Set(['AND', 'OR']);

function unparsable(): ApiError {
  return invalidRequest(
    'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for metadata or key:"value" to query for other fields.',
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
