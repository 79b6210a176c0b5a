import type { IdempotencyStore } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { Reconciler } from '#reconciliation/index.ts';
import { LaneServers } from './lane-servers.ts';
import type { ProviderLedger } from './ledger.ts';
import { Run, type RunRequest } from './run.ts';
import type { RunView } from './run-view.ts';

export interface LabTenant {
  readonly tenantId: string;
  readonly apiKey: string;
}

export interface LabParts {
  readonly db: Prisma.TransactionClient;
  readonly store: IdempotencyStore<Prisma.TransactionClient>;
  readonly reconciler: Reconciler;
  readonly ledger: ProviderLedger;
  /** Of the app on this machine. */
  readonly appUrl: string;
  readonly databaseUrl: string;
  /** For the processes of the lanes. */
  readonly env: NodeJS.ProcessEnv;
  /** A tenant of its own, so that the lab's failures appear in no shop's console. */
  openTenant(): Promise<LabTenant>;
}

export interface Lab {
  /** Throws `LabBusy` while another run is under way. */
  start(request: RunRequest): Promise<string>;
  /** Undefined: there is no such run, or it is too old. */
  read(runId: string): Promise<RunView | undefined>;
  tenant(): Promise<LabTenant>;
  replaysOf(key: string): number;
}

export class LabBusy extends Error {
  override readonly name = 'LabBusy';

  constructor() {
    super('Another run is under way; the lab runs one at a time.');
  }
}

/** Enough for the pages that follow a run now. A run is reproduced by its seed, not kept. */
const keptRuns = 30;

/** The lab of one process. It runs one scenario at a time: it is public, and a storm is 400 requests. */
export function createLab(parts: LabParts): Lab {
  const options = { env: parts.env, databaseUrl: parts.databaseUrl };
  const servers = {
    protected: new LaneServers('protected', options),
    naive: new LaneServers('naive', options),
  };
  const runs = new Map<string, Run>();
  let opened: Promise<LabTenant> | undefined;
  let busy = false;

  function tenant(): Promise<LabTenant> {
    opened ??= parts.openTenant().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  return {
    tenant,
    async start(request) {
      if (busy) throw new LabBusy();
      busy = true;
      try {
        const run = new Run(request, parts, await tenant());
        runs.set(run.id, run);
        for (const id of [...runs.keys()].slice(0, -keptRuns)) runs.delete(id);
        void run.play(servers).finally(() => {
          busy = false;
        });
        return run.id;
      } catch (error) {
        busy = false;
        throw error;
      }
    },
    read: async (runId) => runs.get(runId)?.view(),
    replaysOf: (key) => [...runs.values()].reduce((sum, run) => sum + run.replaysOf(key), 0),
  };
}
