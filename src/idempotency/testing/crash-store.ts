import type { IdempotencyStore } from '../ports.ts';
import { firstRecoveryPoint } from '../record.ts';

/** Where a process is killed: before or after the commit of a recovery point. */
export interface CrashPoint {
  readonly recoveryPoint: string;
  readonly side: 'before' | 'after';
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
  const isDue = (recoveryPoint: string | undefined, side: CrashPoint['side']) =>
    recoveryPoint === point.recoveryPoint && side === point.side;

  return {
    ...store,
    async claim(claim) {
      if (isDue(firstRecoveryPoint, 'before')) kill();
      const claimed = await store.claim(claim);
      if (isDue(firstRecoveryPoint, 'after')) kill();
      return claimed;
    },
    async transition(transition, writes) {
      const writesThenKill = async (tx: Tx) => {
        if (typeof writes === 'function') await writes(tx);
        else if (writes) await store.writeRows(tx, transition.record, writes);
        kill();
      };
      const changed = await store.transition(
        transition,
        isDue(transition.recoveryPoint, 'before') ? writesThenKill : writes,
      );
      if (isDue(transition.recoveryPoint, 'after')) kill();
      return changed;
    },
  };
}

/** SIGKILL runs no handlers and flushes nothing, like the out-of-memory killer or a power cut. */
export function killProcess(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('A process survived its own SIGKILL.');
}
