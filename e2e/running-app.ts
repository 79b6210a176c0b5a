import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inCheckout } from '#run/checkout.ts';
import { findFreePort } from '#run/free-port.ts';
import { identifyProcess, isRunning, type ProcessIdentity } from '#run/process-table.ts';
import { type RunRecord, readRunRecord, writeRunRecord } from '#run/run-record.ts';
import { startGuardian } from '#run/start-guardian.ts';
import { settingNames } from '#server/env.ts';

/** A running installation, started by the real command with its own data and ports. */
export interface RunningApp {
  readonly url: string;
  readonly dataDirectory: string;
  /** One of its processes, from the supervisor's current run record. */
  pidOf(name: 'app' | 'worker' | 'sandbox' | 'supervisor'): number;
  /** Fails if it does not exit with 0, or leaves a process behind. */
  stop(): Promise<void>;
}

type Ended = Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

// The first start also builds the app, which takes longest.
export const readyWithinMs = 240_000;

export async function startApp(settings: Record<string, string>): Promise<RunningApp> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-e2e-'));
  // When this runs as root, the database runs under another account, which must be able to enter.
  chmodSync(directory, 0o711);
  const dataDirectory = path.join(directory, 'data');
  const runFile = path.join(dataDirectory, 'run.json');
  const log = path.join(directory, 'start.log');
  const port = await findFreePort();
  const command = spawn(process.execPath, [inCheckout('src', 'run', 'start.ts')], {
    env: {
      ...process.env,
      // An empty setting counts as unset, and overrides the developer's own .env.
      ...Object.fromEntries(settingNames.map((name) => [name, ''])),
      DATA_DIR: dataDirectory,
      HOST: '127.0.0.1',
      PORT: String(port),
      SANDBOX_PORT: String(await findFreePort()),
      ...settings,
    },
    stdio: ['ignore', 'pipe', openSync(log, 'a')],
    detached: true,
  });
  const ended: Ended = new Promise((resolve) => {
    command.once('exit', (code, signal) => resolve({ code, signal }));
  });
  // The guardian stops the installation if this process is killed.
  const guarded = path.join(directory, 'guarded.json');
  const guardian = startGuardian(guarded, directory);
  const [self, identity] = [identifyProcess(process.pid), command.pid && identifyProcess(command.pid)];
  if (self && identity) writeRunRecord(guarded, { supervisor: self, processes: { start: identity } });

  const stop = async () => {
    const processes = listProcesses(readRunRecord(runFile));
    command.kill('SIGTERM');
    const { code, signal } = await ended;
    const left = processes.filter(isRunning);
    const output = readFileSync(log, 'utf8');
    await guardian.release();
    rmSync(directory, { recursive: true, force: true });
    if (code !== 0)
      throw new Error(`npm start ended with ${signal ?? `exit code ${code}`}, not 0.\n${output}`);
    if (left.length > 0) throw new Error(`Still running: ${left.map(({ pid }) => pid).join(', ')}.`);
  };

  try {
    await waitUntilReady(command, ended, log);
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
  const pidOf: RunningApp['pidOf'] = (name) => {
    const record = readRunRecord(runFile);
    const process = name === 'supervisor' ? record?.supervisor : record?.processes[name];
    if (!process) throw new Error(`The ${name} is not running.`);
    return process.pid;
  };
  return { url: `http://127.0.0.1:${port}`, dataDirectory, pidOf, stop };
}

async function waitUntilReady(command: ChildProcess, ended: Ended, log: string): Promise<void> {
  const ready = new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error('it was not ready in time')), readyWithinMs).unref();
    let output = '';
    command.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.includes('Paidonce is ready')) resolve();
    });
  });
  const tooEarly = ended.then(({ code, signal }) => {
    throw new Error(`it ended with ${signal ?? `exit code ${code}`}`);
  });
  await Promise.race([ready, tooEarly]).catch((error: Error) => {
    throw new Error(`npm start failed: ${error.message}\n${readFileSync(log, 'utf8')}`);
  });
}

function listProcesses(record: RunRecord | undefined): ProcessIdentity[] {
  if (!record) return [];
  const { supervisor, guardian, postgres, processes } = record;
  return [supervisor, guardian, postgres, ...Object.values(processes)].filter(
    (identity) => identity !== undefined,
  );
}
