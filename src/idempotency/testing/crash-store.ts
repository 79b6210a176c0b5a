import type { IdempotencyStore } from '../ports.ts';
import { firstRecoveryPoint } from '../record.ts';

/** Where a process is killed: before or after the commit of a recovery point. */
export interface CrashPoint {
  readonly recoveryPoint: string;
  readonly side: 'before' | 'after';
  /** For a point that is committed more than once, such as `claimed` with the first domain writes. Default: the first. */
  readonly time?: number;
}

/**
 * A store that kills its own process. `before` is the last possible moment: the update and the domain writes have been
 * executed, and only the commit is missing.
 */
export function createCrashStore<Tx>(
  store: IdempotencyStore<Tx>,
  point: CrashPoint,
  kill: () => never = killProcess,
): IdempotencyStore<Tx> {
  let commits = 0;
  const isDue = (recoveryPoint: string | undefined, side: CrashPoint['side']) =>
    recoveryPoint === point.recoveryPoint && side === point.side && commits === (point.time ?? 1);

  return {
    ...store,
    async insert(claim) {
      commits += Number(point.recoveryPoint === firstRecoveryPoint);
      if (isDue(firstRecoveryPoint, 'before')) kill();
      const record = await store.insert(claim);
      if (isDue(firstRecoveryPoint, 'after')) kill();
      return record;
    },
    async transition(transition, writes) {
      commits += Number(transition.recoveryPoint === point.recoveryPoint);
      const writesThenKill = async (tx: Tx) => {
        await writes?.(tx);
        kill();
      };
      const record = await store.transition(
        transition,
        isDue(transition.recoveryPoint, 'before') ? writesThenKill : writes,
      );
      if (isDue(transition.recoveryPoint, 'after')) kill();
      return record;
    },
  };
}

/** SIGKILL runs no handlers and flushes nothing, like the out-of-memory killer or a power cut. */
export function killProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('A process survived its own SIGKILL.');
}
