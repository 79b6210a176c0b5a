import { fork } from 'node:child_process';
import { once } from 'node:events';
import { inCheckout } from '#run/checkout.ts';
import { PlainError } from '#run/plain-error.ts';
import type { ContestantTask } from './contestant-process.ts';
import { type Contestant, contestants } from './contestants.ts';

/** A fresh process for every measurement, so that none profits from what another has compiled, cached or connected. */
export async function runContestant<Result>(name: Contestant, task: ContestantTask): Promise<Result> {
  const file = inCheckout('src', 'run', 'bench', 'contestant-process.ts');
  const child = fork(file, [name, JSON.stringify(task)], { execArgv: ['--expose-gc'] });
  const exited = once(child, 'exit');
  const result = await Promise.race([
    once(child, 'message').then(([message]) => message as Result),
    exited.then(() => undefined),
  ]);
  await exited;
  if (result === undefined)
    throw new PlainError(`${contestants[name].label}: its process ended without a result.`);
  return result;
}
