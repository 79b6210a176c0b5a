import { Connection, type Fault } from '#faults/index.ts';
import type { ServerEvent } from './lane/messages.ts';
import { type LaneServer, startLaneServer } from './lane-server.ts';
import type { LogEntry } from './log.ts';
import { type LaneName, ordinaryCard, type Scenario } from './scenario.ts';

/** A lane's servers are stopped when no run has used them for this long. */
const idleMs = 120_000;

/**
 * The servers of one lane. There is one, which is started again when it was killed, as a supervisor would. For a server
 * that freezes there is a second one, as there is behind a load balancer.
 */
export class LaneServers {
  readonly #start: () => Promise<LaneServer>;
  #main: LaneServer | undefined;
  #starting: Promise<void> | undefined;
  #standby: LaneServer | undefined;
  #idle: NodeJS.Timeout | undefined;
  #open = 0;
  #frozen = false;
  readonly #connections = new Map<string, Connection>();
  #onEvent: (event: LogEntry) => void = () => undefined;

  constructor(lane: LaneName, options: { env: NodeJS.ProcessEnv; databaseUrl: string }) {
    this.#start = () => startLaneServer(lane, { ...options, onEvent: (event) => this.#receive(event) });
  }

  /** Before each run. Requests of the run before have ended, because it waited for them. */
  async prepare(
    scenario: Scenario,
    fault: Fault | undefined,
    onEvent: (event: LogEntry) => void,
  ): Promise<void> {
    clearTimeout(this.#idle);
    this.#onEvent = () => undefined;
    this.#main ??= await this.#start();
    if (!this.#main.isRunning()) this.#main = await this.#start();
    if (fault?.action === 'freeze' && !this.#standby?.isRunning()) this.#standby = await this.#start();
    this.#open = 0;
    this.#frozen = false;
    this.#connections.clear();
    const { card = ordinaryCard } = scenario;
    const preparation = { silentProvider: card.endsWith('_no_response') };
    await this.#main.prepare({ ...preparation, fault });
    if (this.#standby?.isRunning()) await this.#standby.prepare(preparation);
    this.#onEvent = onEvent;
  }

  /** For one request of a client. It is cut when a server reports that the request reached the point of a `drop`. */
  connect(id: string): Connection {
    const connection = new Connection();
    this.#connections.set(id, connection);
    return connection;
  }

  /** Where the next request goes. Undefined: the server was killed and does not listen. */
  url(): string | undefined {
    if (this.#frozen) return this.#standby?.url;
    return this.#main?.isRunning() ? this.#main.url : undefined;
  }

  /** Kills the server before it got the request, for a fault that strikes before the request is sent. */
  async kill(): Promise<void> {
    this.#main?.stop();
    await this.#main?.exited;
  }

  /** Starts the server again if it was killed. */
  async untilUp(): Promise<void> {
    if (this.#frozen || this.#main?.isRunning()) return;
    this.#starting ??= this.#startAgain();
    await this.#starting;
  }

  async #startAgain(): Promise<void> {
    try {
      this.#open = 0;
      this.#main = await this.#start();
      this.#onEvent({ atMs: Date.now(), what: 'started' });
    } finally {
      this.#starting = undefined;
    }
  }

  thaw(): void {
    this.#frozen = false;
    this.#main?.thaw();
  }

  /** Whether a request is being served, also one whose client has gone. */
  isBusy(): boolean {
    return this.#open > 0 && this.#main?.isRunning() === true;
  }

  /** After each run. */
  rest(): void {
    this.thaw();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  stop(): void {
    this.#main?.stop();
    this.#standby?.stop();
    this.#main = undefined;
    this.#standby = undefined;
  }

  #receive(event: ServerEvent): void {
    if (event.what === 'received') this.#open += 1;
    if (event.what === 'finished') this.#open -= 1;
    if (event.what === 'struck') this.#strike(event);
    this.#onEvent(event);
  }

  #strike({ fault, connection }: Extract<ServerEvent, { what: 'struck' }>): void {
    if (fault.action === 'freeze') this.#frozen = true;
    if (fault.action === 'drop') this.#connections.get(String(connection))?.cut();
  }
}
