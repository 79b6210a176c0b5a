import { EXPANDABLE, type Expand, type ObjectKind } from '../http/expand.ts';
import { listObject } from '../http/list.ts';
import type { ApiResponse, Work } from '../http/response.ts';
import { readRows } from '../store/read-rows.ts';
import { findBalanceTransactions } from './balance-transaction.ts';
import { findCard } from './cards.ts';
import { chargeObject } from './charge-object.ts';
import { intentObject } from './intent-object.ts';
import { paymentMethodObject } from './payment-method-object.ts';
import { type RefundRow, refundObject } from './refund-object.ts';

type Fields = Record<string, unknown>;

/** Replaces ids in a successful response by the objects that they name. Errors stay as they are. */
export async function expandResponse(work: Work, response: ApiResponse, paths: Expand): Promise<ApiResponse> {
  if (response.status !== 200 || !paths || paths.length === 0) return response;
  const [body] = await expandObjects(work, [response.body], paths);
  return { ...response, body: body ?? response.body };
}

/** For the objects of a list; a path begins with `data`, which is not part of an object. */
export function expandData(work: Work, objects: object[], paths: Expand): Promise<object[]> {
  const within = (paths ?? []).filter((path) => path.startsWith('data.')).map((path) => path.slice(5));
  return expandObjects(work, objects, within);
}

/** One read per property for all objects together. */
async function expandObjects(work: Work, objects: object[], paths: string[]): Promise<object[]> {
  let expanded = objects as Fields[];
  for (const [property, deeper] of byFirstLevel(paths)) {
    const kind = kindOf(expanded[0]);
    const target = kind && EXPANDABLE[kind][property];
    if (!target) continue;
    if (target === 'refunds') {
      expanded = await Promise.all(expanded.map((charge) => withRefunds(work, charge, deeper)));
      continue;
    }
    const named = await load(work, target, expanded, property);
    const found = [...named.values()];
    const inFull = await expandObjects(work, found, deeper);
    const byId = new Map([...named.keys()].map((id, index) => [id, inFull[index]]));
    expanded = expanded.map((object) => {
      const full = byId.get(String(object[property]));
      return full ? { ...object, [property]: full } : object;
    });
  }
  return expanded;
}

function byFirstLevel(paths: string[]): Map<string, string[]> {
  const grouped = new Map<string, string[]>();
  for (const path of paths) {
    const [first = '', ...rest] = path.split('.');
    const deeper = grouped.get(first) ?? [];
    grouped.set(first, rest.length > 0 ? [...deeper, rest.join('.')] : deeper);
  }
  return grouped;
}

function kindOf(object: Fields | undefined): ObjectKind | undefined {
  const kind = String(object?.object);
  return Object.hasOwn(EXPANDABLE, kind) ? (kind as ObjectKind) : undefined;
}

async function load(
  work: Work,
  kind: ObjectKind,
  parents: Fields[],
  property: string,
): Promise<Map<string, object>> {
  const ids = parents.map((parent) => parent[property]).filter((id) => typeof id === 'string');
  switch (kind) {
    case 'charge':
      return objectsOf(await readRows(work, 'charges', ids), (charge) => chargeObject(charge));
    case 'payment_intent':
      return objectsOf(await readRows(work, 'intents', ids), intentObject);
    case 'refund':
      return objectsOf(await readRows(work, 'refunds', ids), (refund) => refundObject(refund));
    case 'balance_transaction':
      return findBalanceTransactions(work, ids);
    case 'payment_method':
      return new Map(
        parents.flatMap((parent) => {
          const id = String(parent[property]);
          const card = findCard(id);
          return card ? [[id, paymentMethodObject(card, id, Number(parent.created))]] : [];
        }),
      );
  }
}

function objectsOf<Row>(rows: Map<string, Row>, toObject: (row: Row) => object): Map<string, object> {
  return new Map([...rows].map(([id, row]) => [id, toObject(row)]));
}

// Ten at most, as at Stripe: the rest is read through the list of refunds.
const REFUNDS_WITHIN_A_CHARGE = 10;

async function withRefunds(work: Work, charge: Fields, paths: string[]): Promise<Fields> {
  const { rows } = await work.db.query<RefundRow>(
    `SELECT * FROM refunds WHERE charge = $1 ORDER BY sequence DESC LIMIT ${REFUNDS_WITHIN_A_CHARGE + 1}`,
    [charge.id],
  );
  const page = rows.slice(0, REFUNDS_WITHIN_A_CHARGE).map((refund) => refundObject(refund));
  const data = await expandData(work, page, paths);
  return {
    ...charge,
    refunds: listObject(`/v1/charges/${String(charge.id)}/refunds`, data, rows.length > page.length),
  };
}
