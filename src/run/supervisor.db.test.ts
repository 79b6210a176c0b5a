import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { isRunning, type ProcessIdentity } from './process-table.ts';
import { type RunRecord, readRunRecord } from './run-record.ts';
import { type Program, startProgram } from './testing/program.ts';

let directory: string;
let runFile: string;
const programs: Program[] = [];

// One for all tests: making the files of a database takes longer than what most of them do with it.
beforeAll(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-supervisor-'));
  chmodSync(directory, 0o711);
  runFile = path.join(directory, 'run.json');
});

// A test that failed half-way leaves its processes running; SIGTERM makes the supervisor stop them.
afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM');
    await program.ended;
  }
  await vi.waitFor(() => expect(existsSync(runFile)).toBe(false), { timeout: 15_000 });
  rmSync(path.join(directory, 'logs'), { recursive: true, force: true });
});
afterAll(() => rmSync(directory, { recursive: true }));

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

function processesOf(record: RunRecord): ProcessIdentity[] {
  const identities = [
    record.supervisor,
    record.guardian,
    record.postgres,
    ...Object.values(record.processes),
  ];
  return identities.filter((identity) => identity !== undefined);
}

const within = { timeout: 30_000, interval: 25 };
const untilAllStopped = (record: RunRecord) =>
  vi.waitFor(() => expect(processesOf(record).filter(isRunning)).toEqual([]), within);

test('a process that dies is started again, and its end and its restart are printed in one line each', async () => {
  const app = await startFakeApp('ordinary');
  const before = recorded().processes.ordinary as ProcessIdentity;
  process.kill(before.pid, 'SIGKILL');
  await app.printed('The ordinary stopped (SIGKILL); starting it again in 0.5 s.');
  await app.printed('The ordinary is running again.');
  const after = recorded().processes.ordinary as ProcessIdentity;
  expect(after.pid).not.toBe(before.pid);
  expect(isRunning(after)).toBe(true);
});

test('what a process had started itself does not outlive it', async () => {
  const app = await startFakeApp('parent');
  const { pid } = recorded().processes.parent as ProcessIdentity;
  process.kill(pid, 'SIGKILL');
  await app.printed('The parent is running again.');
  await vi.waitFor(() => expect(() => process.kill(-pid, 0)).toThrow('ESRCH'), within);
});

test('a full disk ends nothing: a process that dies is started again, and recorded when there is room', async () => {
  const app = await startFakeApp('ordinary');
  const before = recorded().processes.ordinary as ProcessIdentity;
  // Where the record is written before it is renamed.
  const inTheWay = `${runFile}.${app.child.pid}`;
  mkdirSync(inTheWay);
  process.kill(before.pid, 'SIGKILL');
  await app.printed('run.json could not be written: EISDIR');
  await app.printed('The ordinary is running again.');
  expect(recorded().processes.ordinary).toEqual(before);
  rmdirSync(inTheWay);
  await vi.waitFor(
    () => expect(isRunning(recorded().processes.ordinary as ProcessIdentity)).toBe(true),
    within,
  );
});

test('PostgreSQL is started again on the same port when it dies', async () => {
  const app = await startFakeApp();
  const before = recorded().postgres as ProcessIdentity;
  const portOf = () =>
    readFileSync(path.join(directory, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[3];
  const port = portOf();
  process.kill(before.pid, 'SIGKILL');
  await app.printed('PostgreSQL is running again.');
  expect(isRunning(recorded().postgres as ProcessIdentity)).toBe(true);
  expect(portOf()).toBe(port);
});

test('a process that cannot start ends the whole start with one sentence, and no process is left', async () => {
  const app = startProgram('testing/fake-app.ts', [directory, 'ordinary', 'failing']);
  expect(await app.ended).toEqual({ code: 1, signal: null });
  expect(app.output()).toContain(
    'The failing did not start: exit code 3: the fake child exits on purpose (see ',
  );
  expect(existsSync(runFile)).toBe(false);
});

test('SIGTERM stops everything within ten seconds, a process that ignores it and its children included', async () => {
  const app = await startFakeApp('ordinary', 'unresponsive', 'parent');
  const record = recorded();
  const stoppedAt = performance.now();
  app.child.kill('SIGTERM');
  expect(await app.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppedAt).toBeLessThan(10_000);
  await untilAllStopped(record);
  for (const { pid } of Object.values(record.processes)) expect(() => process.kill(-pid, 0)).toThrow('ESRCH');
});

test('a second Ctrl-C does not change the stop that the first one began', async () => {
  const app = await startFakeApp('unresponsive');
  const record = recorded();
  app.child.kill('SIGINT');
  await app.printed('Stopping…');
  app.child.kill('SIGINT');
  expect(await app.ended).toEqual({ code: 0, signal: null });
  expect(app.output().match(/Stopped\./g)).toHaveLength(1);
  await untilAllStopped(record);
});

test('PostgreSQL is stopped after the processes that use it, and shuts down cleanly', async () => {
  const app = await startFakeApp('ordinary');
  app.child.kill('SIGTERM');
  await app.ended;
  const log = readFileSync(path.join(directory, 'logs', 'postgres.log'), 'utf8');
  expect(log.trimEnd()).toMatch(/database system is shut down$/);
});

test('after kill -9 of the supervisor no process is left running', async () => {
  const app = await startFakeApp('ordinary', 'parent');
  const record = recorded();
  app.child.kill('SIGKILL');
  await untilAllStopped(record);
  const log = readFileSync(path.join(directory, 'logs', 'postgres.log'), 'utf8');
  expect(log).toContain('database system is shut down');
});

test('after kill -9 of the supervisor and its guardian the next start stops what they left', async () => {
  const app = await startFakeApp('ordinary', 'unresponsive');
  const record = recorded();
  // Suspended, so that it cannot replace the guardian before it is killed itself.
  app.child.kill('SIGSTOP');
  process.kill((record.guardian as ProcessIdentity).pid, 'SIGKILL');
  app.child.kill('SIGKILL');
  await app.ended;
  // A killed process is gone a moment after the signal was sent, not at the same time.
  await expect.poll(() => processesOf(record).filter(isRunning)).toHaveLength(3);
  const next = await startFakeApp('ordinary');
  expect(next.output()).toContain(
    'Stopped what a killed run had left running: ordinary, unresponsive, PostgreSQL.',
  );
  expect(processesOf(record).filter(isRunning)).toEqual([]);
});

test('a guardian that is killed is replaced', async () => {
  await startFakeApp();
  const before = recorded().guardian as ProcessIdentity;
  process.kill(before.pid, 'SIGKILL');
  await vi.waitFor(() => {
    const after = recorded().guardian as ProcessIdentity;
    expect(after.pid).not.toBe(before.pid);
    expect(isRunning(after)).toBe(true);
  }, within);
});

test('a second start in the same data directory is refused, and the first keeps running', async () => {
  await startFakeApp('ordinary');
  const record = recorded();
  const second = startProgram('testing/fake-app.ts', [directory, 'ordinary']);
  expect(await second.ended).toEqual({ code: 1, signal: null });
  expect(second.output()).toBe(
    `Paidonce is already running in ${directory} (process ${record.supervisor.pid}); stop it first or set another DATA_DIR.\n`,
  );
  expect(processesOf(record).every(isRunning)).toBe(true);
});
