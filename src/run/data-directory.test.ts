import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inCheckout } from './checkout.ts';
import { acquireDataDirectory } from './data-directory.ts';
import { identifyProcess, type ProcessIdentity } from './process-table.ts';
import { readRunRecord, writeRunRecord } from './run-record.ts';
import { startProgram } from './testing/program.ts';

let directory: string;
let runFile: string;
const children: ChildProcess[] = [];
const gone: ProcessIdentity = { pid: 4_000_000, startedAt: 'long ago' };

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-data-directory-'));
  runFile = path.join(directory, 'run.json');
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    const exited = once(child, 'exit');
    if (child.kill('SIGKILL')) await exited;
  }
  rmSync(directory, { recursive: true });
});

function start(...args: string[]): ChildProcess {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true,
  });
  children.push(child);
  return child;
}

/** A program that responds for as long as it runs. */
async function startOther() {
  const other = start('--eval', 'process.on("message", (text) => process.send(text)); process.send("ready")');
  await once(other, 'message');
  const isAlive = async () => {
    other.send('still there?');
    const exited = once(other, 'exit').then(() => false);
    return Promise.race([exited, once(other, 'message').then(() => true)]);
  };
  return { identity: identifyProcess(other.pid as number) as ProcessIdentity, isAlive };
}

test('a program that has the pid of a process of a killed run is not stopped', async () => {
  const other = await startOther();
  const before = { ...other.identity, startedAt: `${other.identity.startedAt}0` };
  writeRunRecord(runFile, { supervisor: gone, processes: { app: before }, postgres: before });
  const record = await acquireDataDirectory(runFile, () => undefined);
  expect(readRunRecord(runFile)).toEqual(record);
  expect(await other.isAlive()).toBe(true);
});

test('a guardian that is late leaves the record of the next run, and its processes, alone', async () => {
  const guardian = start(inCheckout('src', 'run', 'guardian.ts'), runFile, 'of another run');
  const app = await startOther();
  const processes = { app: app.identity };
  const record = { supervisor: identifyProcess(process.pid) as ProcessIdentity, processes };
  writeRunRecord(runFile, record);
  guardian.disconnect();
  await once(guardian, 'exit');
  expect(readRunRecord(runFile)).toEqual(record);
  expect(await app.isAlive()).toBe(true);
});

test('of many starts that find the record of a killed run, or one that a power failure left empty, one gets the directory', async () => {
  const program = `
    import { acquireDataDirectory } from ${JSON.stringify(inCheckout('src', 'run', 'data-directory.ts'))};
    process.on('message', async (runFile) =>
      process.send(await acquireDataDirectory(runFile, () => undefined).then(() => 'acquired', String)));
    process.send('ready');`;
  const starts = Array.from({ length: 6 }, () => start('--input-type=module', '--eval', program));
  await Promise.all(starts.map((child) => once(child, 'message')));
  for (let round = 0; round < 300; round++) {
    const file = path.join(directory, `${round}`, 'run.json');
    mkdirSync(path.dirname(file));
    writeFileSync(file, round % 3 === 0 ? JSON.stringify({ supervisor: gone, processes: {} }) : '');
    const responses = Promise.all(starts.map(async (child) => (await once(child, 'message'))[0] as string));
    for (const child of starts) child.send(file);
    const refused = (await responses).filter((response) => response !== 'acquired');
    expect(refused).toHaveLength(starts.length - 1);
    for (const response of refused) expect(response).toContain('Paidonce is already running in');
    expect(readdirSync(path.dirname(file))).toEqual(['run.json']);
  }
});

test('after a reset that was killed there is all of the database or nothing', async () => {
  const files = path.join(directory, 'postgres', 'base');
  mkdirSync(files, { recursive: true });
  const count = 3_000;
  for (let file = 0; file < count; file++) writeFileSync(path.join(files, String(file)), '');
  const reset = startProgram('reset.ts', [], { DATA_DIR: directory });
  const left = () => (existsSync(files) ? readdirSync(files).length : 0);
  while (left() === count) await setImmediate();
  reset.child.kill('SIGKILL');
  // Beside other work this process may be late, and find the reset over. What is left is the same.
  const { code, signal } = await reset.ended;
  expect(signal ?? code).toBeOneOf(['SIGKILL', 0]);
  expect(existsSync(path.join(directory, 'postgres'))).toBe(false);

  const again = startProgram('reset.ts', [], { DATA_DIR: directory });
  expect((await again.ended).code).toBe(0);
  expect(existsSync(directory)).toBe(false);
  mkdirSync(directory);
});

test('a reset is refused while Paidonce runs', async () => {
  const supervisor = identifyProcess(process.pid) as ProcessIdentity;
  writeRunRecord(runFile, { supervisor, processes: {} });
  const reset = startProgram('reset.ts', [], { DATA_DIR: directory });
  expect((await reset.ended).code).toBe(1);
  expect(reset.output()).toContain(`already running in ${directory} (process ${process.pid})`);
  expect(readFileSync(runFile, 'utf8')).not.toBe('');
});
