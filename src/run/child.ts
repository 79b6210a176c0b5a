import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { checkout } from './checkout.ts';
import { openChildLog } from './child-log.ts';
import { markProcess, type ProcessMark } from './process-table.ts';

export type ProcessSpec = {
  name: string;
  command: readonly [string, ...string[]];
  env: NodeJS.ProcessEnv;
  // How it lets us know that it can take work: an IPC message { type: 'ready' }, or a URL that starts to answer 200.
  ready: 'message' | { url: string };
};

export type Ending = { how: string; lastWords: string };

export type Child = {
  mark: ProcessMark | undefined;
  ready: Promise<void>;
  ended: Promise<Ending>;
};

async function waitForUrl(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) }).catch(
      () => null,
    );
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
    await delay(40, undefined, { signal }).catch(() => undefined);
  }
}

export function startChild(spec: ProcessSpec, logDirectory: string, onLine: (line: string) => void): Child {
  let lastWords = '';
  const hear = (line: string) => {
    lastWords = line;
    onLine(line);
  };
  const out = openChildLog(path.join(logDirectory, `${spec.name}.log`), false, hear);
  const err = openChildLog(path.join(logDirectory, `${spec.name}.stderr.log`), true, hear);
  const [command, ...args] = spec.command;
  const child = spawn(command, args, {
    cwd: checkout,
    env: spec.env,
    stdio: ['ignore', out.fd, err.fd, ...(spec.ready === 'message' ? (['ipc'] as const) : [])],
    // A process group of its own: Ctrl-C reaches us alone, we decide the order, and grandchildren can be found.
    detached: true,
  });
  const over = new AbortController();
  const ended = new Promise<Ending>((resolve) => {
    const end = (how: string) => {
      over.abort();
      out.close();
      err.close();
      resolve({ how, lastWords });
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
  const tooEarly = ended.then(({ how, lastWords: words }) => {
    throw new Error(`${how}${words === '' ? '' : `: ${words}`}`);
  });
  const readyFirst = Promise.race([announced.then(() => over.signal.aborted && tooEarly), tooEarly]).then(
    () => {},
  );
  // Whoever does not care how the start went must not be ended by it.
  readyFirst.catch(() => undefined);
  return { mark: child.pid === undefined ? undefined : markProcess(child.pid), ready: readyFirst, ended };
}
