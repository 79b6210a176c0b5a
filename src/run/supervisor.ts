import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { nextDelayMs } from './back-off.ts';
import { shortPath } from './checkout.ts';
import { type Child, type ProcessSpec, startChild } from './child.ts';
import { keepPreviousLog } from './child-log.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from './embedded-postgres.ts';
import { describe, PlainError } from './plain-error.ts';
import { isRunning } from './process-table.ts';
import { type RunRecord, writeRunRecord } from './run-record.ts';
import { startGuardian } from './start-guardian.ts';
import { stopEverything } from './stop-everything.ts';

export type SupervisorOptions = {
  runFile: string;
  // Already on disk as runFile, with this process as the supervisor.
  record: RunRecord;
  logDirectory: string;
  // How long a process may take to end by itself; tests with processes that ignore signals shorten it.
  graceMs?: number;
  print: (line: string) => void;
};

export class StoppedError extends Error {
  override name = 'StoppedError';
}

// Keeps processes running. Each is in one of three modes: starting (run() rejects if it exits), running (if it exits, one
// line is printed and it is started again after a back-off), or, once the supervisor is stopping, ending (its exit is
// awaited). After stop() no process is started.
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  readonly #timers = new Set<NodeJS.Timeout>();
  #guardian: ReturnType<typeof startGuardian> | undefined;
  #postgresStart: Promise<unknown> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #recordProblem = '';

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#keepGuardian();
  }

  async run(spec: ProcessSpec): Promise<void> {
    this.#keepPreviousLogs(spec);
    const child = this.#spawn(spec);
    try {
      await child.ready;
    } catch (error) {
      this.#refuseWhenStopping();
      const logs = shortPath(path.join(this.#options.logDirectory, `${spec.name}*.log`));
      throw new PlainError(`The ${spec.name} did not start: ${describe(error)} (see ${logs}).`);
    }
    this.#keepRunning(spec, child);
  }

  // For a process that ends by itself, such as a build. It is not started again, but stop() ends it too.
  async runOnce(spec: ProcessSpec): Promise<void> {
    this.#keepPreviousLogs(spec);
    const { how } = await this.#spawn(spec).ended;
    this.#refuseWhenStopping();
    if (how === 'exit code 0') return;
    const log = path.join(this.#options.logDirectory, `${spec.name}.log`);
    const lastLines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-12).join('\n');
    throw new PlainError(
      `${lastLines}\nThe ${spec.name} failed (${how}); all its output is in ${shortPath(log)}.`,
    );
  }

  async runPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    keepPreviousLog(options.logFile);
    const server = await this.#startPostgres(options);
    this.#keepPostgres({ ...options, port: server.port }, server);
    return server;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stopOnce();
    return this.#stopped;
  }

  #keepPreviousLogs(spec: ProcessSpec): void {
    for (const kind of ['', '.stderr']) {
      keepPreviousLog(path.join(this.#options.logDirectory, `${spec.name}${kind}.log`));
    }
  }

  #spawn(spec: ProcessSpec): Child {
    this.#refuseWhenStopping();
    const { record, print, logDirectory } = this.#options;
    const child = startChild(spec, logDirectory, (line) => print(`${spec.name} | ${line}`));
    if (child.identity) record.processes[spec.name] = child.identity;
    this.#writeRecord();
    child.ended.then(() => {
      if (this.#stopping.signal.aborted || record.processes[spec.name] !== child.identity) return;
      delete record.processes[spec.name];
      this.#writeRecord();
    });
    return child;
  }

  #keepRunning(spec: ProcessSpec, first: Child, previousMs?: number): void {
    const startedAt = performance.now();
    const again = (delayMs: number, why: string) => {
      if (this.#stopping.signal.aborted) return;
      this.#options.print(`The ${spec.name} stopped (${why}); starting it again in ${delayMs / 1000} s.`);
      this.#after(delayMs, () => {
        try {
          const child = this.#spawn(spec);
          child.ready
            .then(() => this.#options.print(`The ${spec.name} is running again.`))
            .catch(() => undefined);
          this.#keepRunning(spec, child, delayMs);
        } catch (error) {
          // Its log could not be opened, for example.
          again(nextDelayMs(delayMs, 0), describe(error));
        }
      });
    };
    first.ended.then(({ how }) => again(nextDelayMs(previousMs, performance.now() - startedAt), how));
  }

  async #startPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const { record } = this.#options;
    const starting = startEmbeddedPostgres({
      ...options,
      signal: this.#stopping.signal,
      onSpawn: (server) => {
        record.postgres = server;
        this.#writeRecord();
      },
    });
    this.#postgresStart = starting.catch(() => undefined);
    return starting.catch((error) => {
      this.#refuseWhenStopping();
      throw error;
    });
  }

  #keepPostgres(options: EmbeddedPostgresOptions, first: EmbeddedPostgres, previousMs?: number): void {
    const startedAt = performance.now();
    const again = (delayMs: number, why: string) => {
      if (this.#stopping.signal.aborted) return;
      this.#options.print(`PostgreSQL stopped (${why}); starting it again in ${delayMs / 1000} s.`);
      this.#after(delayMs, () => {
        this.#startPostgres(options).then(
          (server) => {
            this.#options.print('PostgreSQL is running again.');
            this.#keepPostgres(options, server, delayMs);
          },
          (error) => again(nextDelayMs(delayMs, 0), describe(error)),
        );
      });
    };
    first.exited.then(() => again(nextDelayMs(previousMs, performance.now() - startedAt), 'see its log'));
  }

  #keepGuardian(): void {
    this.#guardian = startGuardian(this.#options.runFile);
    if (this.#guardian.identity) this.#options.record.guardian = this.#guardian.identity;
    this.#writeRecord();
    this.#guardian.gone.then(() => {
      if (!this.#stopping.signal.aborted) this.#after(1_000, () => this.#keepGuardian());
    });
  }

  #after(delayMs: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      action();
    }, delayMs);
    this.#timers.add(timer);
  }

  // A disk that is full for a moment must not end everything that runs.
  #writeRecord(): void {
    try {
      writeRunRecord(this.#options.runFile, this.#options.record);
      this.#recordProblem = '';
    } catch (error) {
      const problem = describe(error);
      if (problem !== this.#recordProblem) this.#options.print(`run.json could not be written: ${problem}`);
      this.#recordProblem = problem;
      this.#after(1_000, () => this.#writeRecord());
    }
  }

  #refuseWhenStopping(): void {
    if (this.#stopping.signal.aborted) throw new StoppedError('The supervisor is stopping.');
  }

  async #stopOnce(): Promise<void> {
    this.#stopping.abort();
    for (const timer of this.#timers) clearTimeout(timer);
    const { record, runFile } = this.#options;
    await stopEverything(record, this.#options.graceMs);
    // A server that was starting may have become ready while the others were being stopped.
    await this.#postgresStart;
    if (record.postgres && isRunning(record.postgres)) await stopEverything({ ...record, processes: {} });
    await this.#guardian?.release();
    rmSync(runFile, { force: true });
  }
}
