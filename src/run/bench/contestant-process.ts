import { randomUUID } from 'node:crypto';
import { type LoadFigures, measureLoad } from './closed-loop.ts';
import { type Contestant, contestants } from './contestants.ts';
import type { Command } from './workload.ts';

// One contestant in a fresh process: contestant-process.ts <contestant> <JSON of ContestantTask>. The result goes to the parent.

export interface ContestantTask {
  readonly url: string;
  readonly pool: number;
  readonly seconds: number;
  readonly callers: readonly number[];
  readonly work: 'load' | 'storm' | 'memory';
  /** How many payments the memory is measured after. */
  readonly payments?: number;
}

export interface LoadResult {
  /** By the number of callers. */
  readonly fresh: Readonly<Record<string, LoadFigures>>;
  readonly replay: LoadFigures | undefined;
}

export interface StormResult {
  readonly callers: number;
  readonly charges: number;
  readonly paid: number;
  readonly inProgress: number;
  readonly failed: number;
  readonly ms: number;
}

export interface MemoryResult {
  readonly payments: number;
  readonly heapBeforeMb: number;
  readonly heapAfterMb: number;
  readonly rssAfterMb: number;
}

const [name, json] = process.argv.slice(2) as [Contestant, string];
const task: ContestantTask = JSON.parse(json);
let charges = 0;
const provider = {
  /** A turn of the event loop: the provider takes no time, but it is not a plain function call either. */
  async charge(): Promise<string> {
    await new Promise(setImmediate);
    charges += 1;
    return `ch_${process.pid}_${charges}`;
  },
};
const workload = contestants[name].open({ url: task.url, pool: task.pool, provider });
const commandOf = (key: string): Command => ({
  orderId: `o-${key.slice(0, 8)}`,
  amountCents: 1999,
  currency: 'EUR',
});
const payNew = () => {
  const key = randomUUID();
  return workload.pay(key, commandOf(key));
};

const works = { load, storm, memory };
process.send?.(await works[task.work]());
await workload.close();
process.exit(0);

async function load(): Promise<LoadResult> {
  const fresh: Record<string, LoadFigures> = {};
  for (const callers of task.callers) {
    fresh[callers] = await measureLoad({ callers, seconds: task.seconds, call: payNew });
  }
  if (name === 'unprotected') return { fresh, replay: undefined };
  const key = randomUUID();
  await workload.pay(key, commandOf(key));
  const call = () => workload.pay(key, commandOf(key));
  return { fresh, replay: await measureLoad({ callers: 32, seconds: task.seconds, call }) };
}

/** All callers send one key at the same moment. */
async function storm(): Promise<StormResult> {
  await Promise.all(Array.from({ length: 32 }, payNew));
  const callers = 500;
  const key = randomUUID();
  const before = charges;
  const startedAt = performance.now();
  const results = await Promise.allSettled(
    Array.from({ length: callers }, () => workload.pay(key, commandOf(key))),
  );
  const ms = performance.now() - startedAt;
  const refused = results.filter((result) => result.status === 'rejected');
  const inProgress = refused.filter(({ reason }) => reason.outcome === 'in-progress').length;
  const paid = callers - refused.length;
  return { callers, charges: charges - before, paid, inProgress, failed: refused.length - inProgress, ms };
}

/** The heap after a thousand payments, and after many more: what grows is a leak. */
async function memory(): Promise<MemoryResult> {
  const payments = task.payments ?? 100_000;
  await payMany(1_000);
  const heapBeforeMb = heapMb();
  await payMany(payments);
  return { payments, heapBeforeMb, heapAfterMb: heapMb(), rssAfterMb: process.memoryUsage().rss / 2 ** 20 };
}

async function payMany(count: number): Promise<void> {
  let left = count;
  const caller = async () => {
    while (left-- > 0) await payNew();
  };
  await Promise.all(Array.from({ length: 64 }, caller));
}

function heapMb(): number {
  // Node was started with --expose-gc.
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
