import { setTimeout as delay } from 'node:timers/promises';
import type { RunView } from '#lab/index.ts';
import { PlainError } from './plain-error.ts';

/** Long enough for a visitor's run of the page to end. */
const busyTries = 240;
const pollMs = 500;

type Answer<T> = { result: { data: T } } | { error: { message: string; data: { code: string } } };

/** Runs one scenario in the lab of a running installation, over the same API as the page, and waits for its end. */
export async function runInLab(
  url: string,
  input: { readonly scenario: string; readonly seed: number; readonly cut?: string },
): Promise<RunView> {
  const { runId } = await start(url, input);
  const read = new URL('/api/trpc/lab.read', url);
  read.searchParams.set('input', JSON.stringify({ runId }));
  for (;;) {
    const run = dataOf(await ask<RunView>(read));
    if (run.status !== 'running') return run;
    await delay(pollMs);
  }
}

async function start(url: string, input: object): Promise<{ runId: string }> {
  for (let tries = 0; tries < busyTries; tries++) {
    const answer = await ask<{ runId: string }>(new URL('/api/trpc/lab.start', url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    });
    if (!('error' in answer) || answer.error.data.code !== 'CONFLICT') return dataOf(answer);
    await delay(pollMs);
  }
  throw new PlainError('Another run is under way in this lab and does not end.');
}

async function ask<T>(url: URL, init?: RequestInit): Promise<Answer<T>> {
  const response = await fetch(url, init).catch(() => undefined);
  if (!response) throw new PlainError(`${url.origin} does not answer any more.`);
  return (await response.json()) as Answer<T>;
}

function dataOf<T>(answer: Answer<T>): T {
  if ('error' in answer) throw new PlainError(`The lab refused: ${answer.error.message}`);
  return answer.result.data;
}
