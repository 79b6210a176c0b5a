import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkout } from './checkout.ts';
import { openChildLog } from './child-log.ts';
import { identifyProcess, killGroup, type ProcessIdentity } from './process-table.ts';

export type ProcessSpec = {
  name: string;
  command: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  // How it reports that it is ready: an IPC message { type: 'ready' }, or a URL that starts to respond with 200.
  ready: 'message' | { url: string };
};

export type Ending = { how: string; lastLine: string };

export type Child = {
  identity: ProcessIdentity | undefined;
  ready: Promise<void>;
  ended: Promise<Ending>;
};

async function waitForUrl(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const response = await fetch(url, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]),
    }).catch(() => null);
    await response?.body?.cancel();
    if (response?.status === 200) return;
    await delay(40, undefined, { signal }).catch(() => undefined);
  }
}

export function startChild(spec: ProcessSpec, logDirectory: string, onLine: (line: string) => void): Child {
  let lastLine = '';
  const receiveLine = (line: string) => {
    // An error says what happened in its first line; its stack and its properties follow, indented and in braces.
    if (/^[^\s})\]]/.test(line)) lastLine = line;
    onLine(line);
  };
  const out = openChildLog(path.join(logDirectory, `${spec.name}.log`), false, receiveLine);
  const err = openChildLog(path.join(logDirectory, `${spec.name}.stderr.log`), true, receiveLine);
  const [command, ...args] = spec.command;
  const child = spawn(command, args, {
    cwd: checkout,
    env: spec.env,
    stdio: ['ignore', out.fd, err.fd, ...(spec.ready === 'message' ? (['ipc'] as const) : [])],
    // A process group of its own: Ctrl-C reaches only the supervisor, which decides the order, and grandchildren can be killed.
    detached: true,
  });
  const identity = child.pid === undefined ? undefined : identifyProcess(child.pid);
  const over = new AbortController();
  const ended = new Promise<Ending>((resolve) => {
    const end = (how: string) => {
      over.abort();
      // What it had started itself would keep its port.
      if (identity) killGroup(identity);
      out.close();
      err.close();
      resolve({ how, lastLine });
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  });
  const { ready } = spec;
  const announced =
    ready === 'message'
      ? new Promise<void>((resolve) => {
          child.on('message', (message: { type?: string }) => message?.type === 'ready' && resolve());
        })
      : waitForUrl(ready.url, over.signal);
  const tooEarly = ended.then((ending) => {
    throw new Error(`${ending.how}${ending.lastLine === '' ? '' : `: ${ending.lastLine}`}`);
  });
  const readyFirst = Promise.race([announced.then(() => over.signal.aborted && tooEarly), tooEarly]).then(
    () => {},
  );
  // A caller that does not await `ready` must not fail with an unhandled rejection.
  readyFirst.catch(() => undefined);
  return {
    identity,
    ready: readyFirst,
    ended,
  };
}
