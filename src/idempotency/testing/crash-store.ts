import type { IdempotencyStore } from '../ports.ts';
import { firstRecoveryPoint } from '../record.ts';

/** Where a process dies: on one side of the commit of a recovery point. */
export interface CrashPoint {
  readonly recoveryPoint: string;
  readonly side: 'before' | 'after';
  /** For a point that is committed more than once, such as `claimed` with the first domain writes. Default: the first. */
  readonly time?: number;
}

/**
 * A store that kills its own process. `before` is as late as can be: the update and the domain writes have been sent to
 * the database, and only the commit is missing.
 */
export function createCrashStore<Tx>(
  store: IdempotencyStore<Tx>,
  point: CrashPoint,
  die: () => never = dieByKill,
): IdempotencyStore<Tx> {
  let commits = 0;
  const isDue = (recoveryPoint: string | undefined, side: CrashPoint['side']) =>
    recoveryPoint === point.recoveryPoint && side === point.side && commits === (point.time ?? 1);

  return {
    ...store,
    async insert(claim) {
      commits += Number(point.recoveryPoint === firstRecoveryPoint);
      if (isDue(firstRecoveryPoint, 'before')) die();
      const record = await store.insert(claim);
      if (isDue(firstRecoveryPoint, 'after')) die();
      return record;
    },
    async move(move, writes) {
      commits += Number(move.recoveryPoint === point.recoveryPoint);
      const dyingWrites = async (tx: Tx) => {
        await writes?.(tx);
        die();
      };
      const record = await store.move(move, isDue(move.recoveryPoint, 'before') ? dyingWrites : writes);
      if (isDue(move.recoveryPoint, 'after')) die();
      return record;
    },
  };
}

/** No handler, no flush, no goodbye: what the out-of-memory killer does, and a power cut. */
export function dieByKill(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('A process survived its own SIGKILL.');
}
