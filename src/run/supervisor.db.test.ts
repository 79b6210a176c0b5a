import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRunning, type ProcessMark } from './process-table.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { type Program, startProgram } from './testing/program.ts';

let directory: string;
let runFile: string;
const programs: Program[] = [];

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-supervisor-'));
  chmodSync(directory, 0o711);
  runFile = path.join(directory, 'run.json');
});

// A test that failed half-way leaves its processes running; a SIGTERM stops them, as the supervisor guarantees.
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM');
    await program.ended;
  }
  await vi.waitFor(() => expect(existsSync(runFile)).toBe(false), { timeout: 15_000 });
  rmSync(directory, { recursive: true });
});

// A grace period of one second, except where the grace period is what is being tested.
async function startFakeApp(...modes: string[]): Promise<Program> {
  const env = modes.includes('parent') ? {} : { GRACE_MS: '1000' };
  const program = startProgram('testing/fake-app.ts', [directory, ...modes], env as Record<string, string>);
  programs.push(program);
  await program.printed('ready');
  return program;
}

function recorded(): RunRecord {
  const record = readRunRecord(runFile);
  if (!record) throw new Error('There is no run record.');
  return record;
}

function processesOf(record: RunRecord): ProcessMark[] {
  const marks = [record.supervisor, record.guardian, record.postgres, ...Object.values(record.processes)];
  return marks.filter((mark) => mark !== undefined);
}

const within = { timeout: 12_000, interval: 25 };
const untilAllStopped = (record: RunRecord) =>
  vi.waitFor(() => expect(processesOf(record).filter(isRunning)).toEqual([]), within);

test('a process that dies is started again, and each of the two is reported in one line', async () => {
  const app = await startFakeApp('meek');
  const before = recorded().processes.meek as ProcessMark;
  process.kill(before.pid, 'SIGKILL');
  await app.printed('The meek stopped (SIGKILL); starting it again in 0.5 s.');
  await app.printed('The meek is running again.');
  const after = recorded().processes.meek as ProcessMark;
  expect(after.pid).not.toBe(before.pid);
  expect(isRunning(after)).toBe(true);
});

test('PostgreSQL that dies is started again at the same address', async () => {
  const app = await startFakeApp();
  const before = recorded().postgres as ProcessMark;
  const portOf = () =>
    readFileSync(path.join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  const port = portOf();
  process.kill(before.pid, 'SIGKILL');
  await app.printed('PostgreSQL is running again.');
  expect(isRunning(recorded().postgres as ProcessMark)).toBe(true);
  expect(portOf()).toBe(port);
});

test('a process that cannot start ends the whole start with one sentence and leaves nothing', async () => {
  const app = startProgram('testing/fake-app.ts', [directory, 'meek', 'dead']);
  expect(await app.ended).toEqual({ code: 1, signal: null });
  expect(app.output()).toContain(
    'The dead did not start: exit code 3: the fake child has nothing to live for (see ',
  );
  expect(existsSync(runFile)).toBe(false);
});

test('SIGTERM stops everything within ten seconds, a process that ignores it and its children included', async () => {
  const app = await startFakeApp('meek', 'stubborn', 'parent');
  const record = recorded();
  const askedAt = performance.now();
  app.child.kill('SIGTERM');
  expect(await app.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - askedAt).toBeLessThan(10_000);
  await untilAllStopped(record);
  for (const { pid } of Object.values(record.processes)) expect(() => process.kill(-pid, 0)).toThrow('ESRCH');
});

test('a second Ctrl-C does not disturb the stop the first one began', async () => {
  const app = await startFakeApp('stubborn');
  const record = recorded();
  app.child.kill('SIGINT');
  await app.printed('Stopping…');
  app.child.kill('SIGINT');
  expect(await app.ended).toEqual({ code: 0, signal: null });
  expect(app.output().match(/Stopped\./g)).toHaveLength(1);
  await untilAllStopped(record);
});

test('PostgreSQL outlives the processes that use it and shuts down properly', async () => {
  const app = await startFakeApp('meek');
  app.child.kill('SIGTERM');
  await app.ended;
  const log = readFileSync(path.join(directory, 'logs', 'postgres.log'), 'utf8');
  expect(log.trimEnd()).toMatch(/database system is shut down$/);
});

test('after kill -9 of the supervisor nothing is left running', async () => {
  const app = await startFakeApp('meek', 'parent');
  const record = recorded();
  app.child.kill('SIGKILL');
  await untilAllStopped(record);
  const log = readFileSync(path.join(directory, 'logs', 'postgres.log'), 'utf8');
  expect(log).toContain('database system is shut down');
});

test('after kill -9 of the supervisor and its guardian the next start stops what they left', async () => {
  const app = await startFakeApp('meek', 'stubborn');
  const record = recorded();
  // Suspended, so that it cannot replace the guardian before it is killed itself.
  app.child.kill('SIGSTOP');
  process.kill((record.guardian as ProcessMark).pid, 'SIGKILL');
  app.child.kill('SIGKILL');
  await app.ended;
  // A killed process is gone a moment after the signal was sent, not at the same time.
  await vi.waitFor(() => expect(processesOf(record).filter(isRunning)).toHaveLength(3));
  const next = await startFakeApp('meek');
  expect(next.output()).toContain('Stopped what a killed run had left running: meek, stubborn, PostgreSQL.');
  expect(processesOf(record).filter(isRunning)).toEqual([]);
});

test('a guardian that is killed is replaced', async () => {
  await startFakeApp();
  const before = recorded().guardian as ProcessMark;
  process.kill(before.pid, 'SIGKILL');
  await vi.waitFor(() => {
    const after = recorded().guardian as ProcessMark;
    expect(after.pid).not.toBe(before.pid);
    expect(isRunning(after)).toBe(true);
  }, within);
});

test('a second start in the same data directory is refused and disturbs nothing', async () => {
  await startFakeApp('meek');
  const record = recorded();
  const second = startProgram('testing/fake-app.ts', [directory, 'meek']);
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(second.output()).toBe(
    `Paidonce is already running in ${directory} (process ${record.supervisor.pid}); stop it first or set another DATA_DIR.\n`,
  );
  expect(processesOf(record).every(isRunning)).toBe(true);
});
