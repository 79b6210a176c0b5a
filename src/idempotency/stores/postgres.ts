import {
  type Claim,
  type Claimed,
  type IdempotencyStore,
  StoreUnavailable,
  type Transition,
} from '../ports.ts';
import type { OperationRecord, OperationRef } from '../record.ts';
import type { DomainWrites, RowWrite } from '../row-statement.ts';
import { type Batch, createBatch } from './batch.ts';
import { givenRows, rowColumns, rowsFragment } from './given-rows.ts';
import { bodyKey } from './postgres-body-window.ts';
import { readClaims, writeClaimStatement } from './postgres-claim.ts';
import { translateErrors } from './postgres-errors.ts';
import { listMisuses, recordMisuse } from './postgres-misuse.ts';
import { reap } from './postgres-reap.ts';
import { findStatement, nameOf, type RecordRow, recordOf } from './postgres-record.ts';
import { shapeOf, type TransitionItem, writeTransitionStatement } from './postgres-transition.ts';
import type { SqlDriver } from './sql-driver.ts';

// What users of the store need besides it. The drivers on Prisma are in prisma.ts.
export { createBatch } from './batch.ts';
export { createCachedReads } from './cached-reads.ts';
export { createPgDriver, storePoolSettings } from './pg-driver.ts';
export { createPostgresCheckQueue } from './postgres-check-queue.ts';
export { createListener, type Listener } from './postgres-listener.ts';
export { createPostgresSignal } from './postgres-signal.ts';
export type { SqlDriver } from './sql-driver.ts';

export interface PostgresStoreOptions {
  /** How many statements of a kind may be under way at once; see `batch.ts`. */
  readonly maxStatements?: number;
  /** How many callers may share a statement. 1 turns sharing off. */
  readonly maxItems?: number;
}

/**
 * The store on PostgreSQL. Every decision is made by one atomic statement, by the database's clock. Claims, and transitions
 * whose domain writes are rows, are shared by callers that arrive at the same time; a transition with a callback has a
 * transaction of its own.
 */
export function createPostgresStore<Tx>(
  driver: SqlDriver<Tx>,
  options: PostgresStoreOptions = {},
): IdempotencyStore<Tx> {
  const claims = createBatches<Claim, Claimed | undefined>({
    statementOf: (claim) => claim.rows?.statement.name,
    refOf: (claim) => claim,
    executeOf(example) {
      const statementFor = writeClaimStatement(example.rows?.statement);
      return async (items) => readClaims(items, await driver.query(statementFor(items)));
    },
    // An existing record is the same for all callers who asked for it; a grant is for one.
    isShared: (claimed) => claimed?.granted === false,
  });
  const transitions = createBatches<TransitionItem, boolean>({
    statementOf: shapeOf,
    refOf: ({ transition }) => transition.record,
    executeOf(example) {
      const statementFor = writeTransitionStatement(example);
      return async (items) => readTransitions(items, await driver.query(statementFor(items)));
    },
    splitAbove: 16,
  });
  const reads = createBatches<OperationRef, OperationRecord | undefined>({
    statementOf: () => undefined,
    refOf: (ref) => ref,
    executeOf: () => async (refs) => {
      const rows = await driver.query<RecordRow>(findStatement(refs));
      return readRows(refs, rows).map((row) => row && recordOf(row));
    },
    isShared: () => true,
  });

  return {
    claim: (claim) => translateErrors(driver, () => claims(claim)),
    findById: (ref) => translateErrors(driver, () => reads(ref)),
    transition: (transition, writes) => translateErrors(driver, () => runTransition(transition, writes)),
    writeRows: (tx, record, rows) => translateErrors(driver, () => writeRows(driver, tx, record, rows)),
    bodyKey: (request) => translateErrors(driver, () => bodyKey(driver, request)),
    recordMisuse: (ref, misuse) => translateErrors(driver, () => recordMisuse(driver, ref, misuse)),
    listMisuses: (ref) => translateErrors(driver, () => listMisuses(driver, ref)),
    reap: (step, limit) => translateErrors(driver, () => reap(driver, step, limit)),
  };

  function runTransition(transition: Transition, writes: DomainWrites<Tx> | undefined): Promise<boolean> {
    if (typeof writes !== 'function') return transitions({ transition, ...(writes && { rows: writes }) });
    return driver.transaction(async (tx) => {
      // The update comes first: it takes the row lock, so the domain writes of a superseded owner do not run.
      const rows = await driver.queryIn<RefRow>(
        tx,
        writeTransitionStatement({ transition })([{ transition }]),
      );
      const [changed = false] = readTransitions([{ transition }], rows);
      if (changed) await writes(tx);
      return changed;
    });
  }

  /** One batch per statement: callers whose statements differ only in their values share, others do not. */
  function createBatches<Item, Result>(parts: {
    /** Distinguishes the statements. */
    statementOf(item: Item): string | undefined;
    refOf(item: Item): OperationRef;
    /** Executes items whose statement is that of the example. */
    executeOf(example: Item): (items: readonly [Item, ...Item[]]) => Promise<readonly Result[]>;
    isShared?(result: Result): boolean;
    readonly splitAbove?: number;
  }): (item: Item) => Promise<Result> {
    const batches = new Map<string | undefined, Batch<Item, Result>>();
    return (item) => {
      const statement = parts.statementOf(item);
      const batch = batches.get(statement) ?? createBatchLike(item);
      batches.set(statement, batch);
      return batch.run(item);
    };

    function createBatchLike(example: Item): Batch<Item, Result> {
      return createBatch<Item, Result>({
        execute: parts.executeOf(example),
        ...(parts.isShared && { isShared: parts.isShared }),
        ...(parts.splitAbove && { splitAbove: parts.splitAbove }),
        nameOf: (item) => nameOf(parts.refOf(item)),
        tenantOf: (item) => parts.refOf(item).tenantId,
        isRowError: (error) => !driver.isUnavailable(error),
        overloaded: () => new StoreUnavailable(new Error('Too many requests wait for the database.')),
        ...options,
      });
    }
  }
}

function readTransitions(items: readonly TransitionItem[], rows: readonly RefRow[]): boolean[] {
  const records = items.map(({ transition }) => transition.record);
  return readRows(records, rows).map((row) => row !== undefined);
}

interface RefRow {
  readonly tenant_id: string;
  readonly id: string;
}

/** In the order of the refs. A row that none of them asked for means that the connection mixed up two responses. */
function readRows<Row extends RefRow>(
  refs: readonly OperationRef[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const byName = new Map(rows.map((row) => [nameOf({ tenantId: row.tenant_id, id: row.id }), row]));
  const found = refs.map((ref) => byName.get(nameOf(ref)));
  if (new Set(found.filter(Boolean)).size !== byName.size) {
    throw new StoreUnavailable(new Error('The database returned rows of another statement.'));
  }
  return found;
}

async function writeRows<Tx>(
  driver: SqlDriver<Tx>,
  tx: Tx,
  record: OperationRef,
  write: RowWrite,
): Promise<void> {
  const ofRecord = [
    { name: 'tenant_id', type: 'text', read: () => record.tenantId },
    { name: 'id', type: 'uuid', read: () => record.id },
  ];
  const given = givenRows<RowWrite>([...ofRecord, ...rowColumns(write.statement, () => write)], 1, 'one');
  await driver.queryIn(tx, {
    name: `rows ${write.statement.name}`,
    text: `WITH ${given.relation}, ${rowsFragment(write.statement, 'given')} SELECT`,
    values: given.valuesOf([write]),
  });
}
