import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Settings, settingNames } from '#server/env.ts';
import { inCheckout } from './checkout.ts';
import { demoFileOf } from './demo-data.ts';
import { findFreePort } from './free-port.ts';
import { PlainError, UsageError } from './plain-error.ts';
import { identifyProcess } from './process-table.ts';
import { readSettings } from './read-settings.ts';
import { writeRunRecord } from './run-record.ts';
import { type Guardian, startGuardian } from './start-guardian.ts';
import { showStatus } from './terminal.ts';

export interface Installation {
  readonly url: string;
  close(): Promise<void>;
}

/** The installation that runs already, or else one of its own, with its own data and ports, that ends with the command. */
export async function openInstallation(): Promise<Installation> {
  const running = await findRunning(readSettings());
  if (running) return { url: running, close: async () => undefined };
  return startOwn();
}

async function findRunning(settings: Settings): Promise<string | undefined> {
  if (!settings.demo) {
    throw new UsageError('There is no lab here: it exists on the embedded database with the sandbox only.');
  }
  let url: string;
  try {
    url = JSON.parse(readFileSync(demoFileOf(settings), 'utf8')).urls.app;
  } catch {
    return undefined;
  }
  const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(3_000) }).catch(
    () => undefined,
  );
  await response?.body?.cancel();
  return response?.ok ? url : undefined;
}

async function startOwn(): Promise<Installation> {
  showStatus('  … starting an installation for the lab; the first start builds it');
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-lab-'));
  // When this runs as root, the database runs under another account, which must be able to enter.
  chmodSync(directory, 0o711);
  const port = await findFreePort();
  const child = spawn(process.execPath, [inCheckout('src', 'run', 'start.ts')], {
    env: {
      ...process.env,
      // An empty setting counts as unset, and overrides the one in .env.
      ...Object.fromEntries(settingNames.map((name) => [name, ''])),
      DATA_DIR: path.join(directory, 'data'),
      PORT: String(port),
      SANDBOX_PORT: String(await findFreePort()),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a process group of its own, which the guardian stops as a whole if this command is ended by Ctrl-C or a kill.
    detached: true,
  });
  const guardian = guard(child.pid, directory);
  let output = '';
  const exited = once(child, 'exit');
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk;
        if (output.includes('Paidonce is ready')) resolve();
      });
    }
  });
  const close = async () => {
    child.kill('SIGTERM');
    await exited;
    await guardian.release();
    rmSync(directory, { recursive: true, force: true });
  };
  const ended = exited.then(() => 'ended' as const);
  if ((await Promise.race([ready, ended])) === 'ended') {
    await guardian.release();
    rmSync(directory, { recursive: true, force: true });
    throw new PlainError(`The lab's installation did not start:\n${output.trim()}`);
  }
  return { url: `http://127.0.0.1:${port}`, close };
}

function guard(pid: number | undefined, directory: string): Guardian {
  const runFile = path.join(directory, 'guarded.json');
  const guardian = startGuardian(runFile, directory);
  const [supervisor, start] = [
    identifyProcess(process.pid),
    pid === undefined ? undefined : identifyProcess(pid),
  ];
  if (supervisor && start) writeRunRecord(runFile, { supervisor, processes: { start } });
  return guardian;
}
