import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { ArmedFault, type CutPoint, type Fault } from '#faults/index.ts';
import { connectionHeader, type UntimedEvent } from './messages.ts';

export interface FaultInjector {
  /** The fault of the next run, or none. It strikes one request, once. */
  arm(fault: Fault | undefined): void;
  /** Serves one request. What `work` reaches is reached by this request. */
  serve<T>(request: IncomingMessage, work: () => Promise<T>): Promise<T>;
  /** Whether the armed fault is meant for this point. */
  isArmedFor(point: CutPoint): boolean;
  /** Called at each point of a request. Strikes if the armed fault is meant for this point. */
  reached(point: CutPoint): Promise<void>;
}

export function createFaultInjector(parts: {
  /** Resolves when the event has left the process. */
  readonly report: (event: UntimedEvent) => Promise<void>;
  /** Has PostgreSQL terminate every connection of this process. */
  readonly loseDatabase: () => Promise<void>;
}): FaultInjector {
  const armed = new ArmedFault();
  const served = new AsyncLocalStorage<IncomingMessage>();

  async function strike(fault: Fault): Promise<void> {
    const request = served.getStore();
    await parts.report({ what: 'struck', fault, connection: request?.headers[connectionHeader] });
    switch (fault.action) {
      case 'drop':
        // The client cuts its connection when it gets the report. Until then the request stays at this point.
        if (request && !request.socket.destroyed) await once(request.socket, 'close');
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
    arm: (fault) => armed.arm(fault),
    serve: (request, work) => served.run(request, work),
    isArmedFor: (point) => armed.isArmedFor(point),
    async reached(point) {
      const fault = armed.take(point);
      if (fault) await strike(fault);
    },
  };
}

/** The signal arrives within moments; nothing may happen in between. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
