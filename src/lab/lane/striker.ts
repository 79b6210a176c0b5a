import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import type { CutPoint, Fault } from '../scenario.ts';
import type { UntimedEvent } from './messages.ts';

export interface Striker {
  /** The fault of the next run, or none. It strikes one request, once. */
  arm(fault: Fault | undefined): void;
  /** Runs one request of the client behind this socket. */
  serve<T>(socket: Socket, work: () => Promise<T>): Promise<T>;
  /** Whether the armed fault is meant for this point. */
  isArmedFor(point: CutPoint): boolean;
  /** Called at each point of a request. Strikes if the armed fault is meant for this point. */
  reached(point: CutPoint): Promise<void>;
}

export function createStriker(parts: {
  /** Resolves when the event has left the process. */
  readonly report: (event: UntimedEvent) => Promise<void>;
  /** Has PostgreSQL terminate every connection of this process. */
  readonly loseDatabase: () => Promise<void>;
}): Striker {
  let armed: Fault | undefined;
  const client = new AsyncLocalStorage<Socket>();

  async function strike(fault: Fault): Promise<void> {
    await parts.report({ what: 'struck', fault });
    switch (fault.effect) {
      case 'drop':
        client.getStore()?.resetAndDestroy();
        return;
      case 'kill':
        process.kill(process.pid, 'SIGKILL');
        return never();
      case 'freeze':
        process.kill(process.pid, 'SIGSTOP');
        return;
      case 'lose_database':
        return parts.loseDatabase();
    }
  }

  return {
    arm(fault) {
      armed = fault;
    },
    serve: (socket, work) => client.run(socket, work),
    isArmedFor: (point) => armed?.at === point,
    async reached(point) {
      if (armed?.at !== point) return;
      const fault = armed;
      armed = undefined;
      await strike(fault);
    },
  };
}

/** The signal arrives within moments; nothing may happen in between. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
