import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { LaneMessage, Preparation, ServerEvent } from './lane/messages.ts';
import type { LaneName } from './scenario.ts';

/** Far longer than a start takes, also on a busy machine. */
const startWithinMs = 60_000;
/** Short, so that a run that waits for a silent provider or an expired lease takes seconds. The shop has its own. */
const deadlines = { PROVIDER_TIMEOUT_MS: '1000', LEASE_MS: '3000' };

/** One server process of a lane. */
export interface LaneServer {
  readonly url: string;
  readonly exited: Promise<void>;
  isRunning(): boolean;
  prepare(preparation: Preparation): Promise<void>;
  thaw(): void;
  stop(): void;
}

export async function startLaneServer(
  lane: LaneName,
  options: {
    readonly env: NodeJS.ProcessEnv;
    readonly databaseUrl: string;
    readonly onEvent: (event: ServerEvent) => void;
  },
): Promise<LaneServer> {
  const child = spawn(process.execPath, ['src/lane.ts', lane], {
    env: {
      ...options.env,
      ...deadlines,
      DATABASE_URL: withName(options.databaseUrl, `paidonce-lab-${randomUUID()}`),
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit').then(() => undefined);
  child.on('message', (message: LaneMessage) => {
    if (message.type === 'event') options.onEvent(message.event);
  });
  const ready = await untilMessage(child, 'ready', exited);
  return {
    url: ready.url,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async prepare(preparation) {
      const prepared = untilMessage(child, 'prepared', exited);
      child.send(preparation);
      await prepared;
    },
    thaw: () => void child.kill('SIGCONT'),
    stop() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
    },
  };
}

type MessageOf<Type extends LaneMessage['type']> = Extract<LaneMessage, { type: Type }>;

async function untilMessage<Type extends LaneMessage['type']>(
  child: ChildProcess,
  type: Type,
  exited: Promise<void>,
): Promise<MessageOf<Type>> {
  const { promise, resolve, reject } = Promise.withResolvers<MessageOf<Type>>();
  const receive = (message: LaneMessage) => {
    if (message.type === type) resolve(message as MessageOf<Type>);
  };
  child.on('message', receive);
  const timer = setTimeout(() => reject(new Error('A server of the lab did not respond.')), startWithinMs);
  void exited.then(() => reject(new Error('A server of the lab ended by itself; its log says why.')));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    child.off('message', receive);
  }
}

/** PostgreSQL shows the name beside each connection, by which they are found and terminated. */
function withName(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', name);
  return url.href;
}
