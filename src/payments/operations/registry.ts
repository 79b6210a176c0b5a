import { Prisma } from '#prisma';
import type { Investigator } from '../investigator.ts';
import { type OperationName, operationNames } from './copy.ts';
import { createPaymentKind } from './create-payment/kind.ts';
import { createRefundKind } from './create-refund/kind.ts';
import type { KindOf, KindParts, OperationHttp, OperationKind } from './operation-kind.ts';
import { payOrderKind } from './pay-order/kind.ts';

/**
 * Every operation by its name, as in copy.ts: a name without a kind, a kind without copy, and a kind under another name than
 * its own do not compile.
 */
const operations = {
  'order.pay': payOrderKind,
  'payment.create': createPaymentKind,
  'refund.create': createRefundKind,
} as const satisfies { readonly [Name in OperationName]: KindOf<Name> };

const [first, ...others] = operationNames;
export const operationKinds: readonly [OperationKind, ...OperationKind[]] = [
  kindOf(first),
  ...others.map(kindOf),
];

export const operationDefinitions = operationKinds.map(({ definition }) => definition);

export function kindOf(name: OperationName): OperationKind {
  return operations[name];
}

/** The operations that merchants call over HTTP. */
export const apiKinds = operationKinds.filter(
  (kind): kind is OperationKind & { readonly http: OperationHttp } => kind.http !== null,
);

/** Where the rows of all operations are, each table once: operations of one table share this. */
export const operationRows = [...new Set(operationKinds.map(({ rows }) => rows))];

/** Undefined: the record was written by a version of the app that knows other operations than this one. */
export function findKind(operation: string): OperationKind | undefined {
  return operationKinds.find(({ definition }) => definition.name === operation);
}

export function createInvestigators(parts: KindParts): readonly Investigator[] {
  return operationKinds.map((kind) => kind.createInvestigator(parts));
}

/** The `moneyColumns` of one operation of any kind: one row at most. */
export function moneyOfOperation(tenantId: Prisma.Sql, operationId: Prisma.Sql): Prisma.Sql {
  const selects = operationRows.map((rows) => rows.money(tenantId, operationId));
  return Prisma.sql`${Prisma.join(selects, ' UNION ALL ')} LIMIT 1`;
}
