import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { inCheckout, shortPath } from '#run/checkout.ts';
import { openHarness } from '#run/measure/harness.ts';
import { PlainError } from '#run/plain-error.ts';
import { startScratchPostgres } from '#run/scratch-postgres.ts';
import { print, runCommand } from '#run/terminal.ts';
import { writeCharts } from './charts.ts';
import type { MemoryResult, StormResult } from './contestant-process.ts';
import { type Contestant, contestants } from './contestants.ts';
import { measureGrowth } from './growth.ts';
import { measureHttp } from './http.ts';
import { measureRates, openBenchDatabase, type Server } from './rates.ts';
import { printResults } from './report.ts';
import type { Results } from './results.ts';
import { runContestant } from './run-contestant.ts';
import { benchSandbox } from './sandbox.ts';

const parts = ['rates', 'storm', 'memory', 'growth', 'sandbox', 'http'] as const;
type Part = (typeof parts)[number];

const help = `npm run bench [-- options]
How fast it is, beside the limit of PostgreSQL (pgbench, where it is installed) and code written by hand, in one run.

  --only rates,http   some of: ${parts.join(', ')}
                        rates    payments and replays per second: ${Object.keys(contestants).join(', ')}
                        storm    500 callers with one key
                        memory   the heap after many payments
                        growth   a claim with 10,000 and 1,000,000 records in the table
                        sandbox  creates and confirms per second at the sandbox alone
                        http     the whole path through Next and through the API process, beside a route that does nothing
  --contestants a,b   whom to measure; all of them when not given
  --rounds 3          rounds, in turn and in alternating order; the median counts
  --seconds 4         how long each measurement takes
  --payments 100000   for memory
  --large             growth also with 10,000,000 records: some minutes, and 10 GB of disk
  --out DIR           where results.json goes; .data/bench when not given
  --charts            also writes the charts of the README to .github/images

src/run/bench/README.md says how to read it. Nothing else should run on the machine.`;

await runCommand(help, async (args) => {
  const options = readOptions(args);
  const results = await measure(options);
  printResults(results);
  mkdirSync(options.out, { recursive: true });
  const file = path.join(options.out, 'results.json');
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  const charts = options.charts ? writeCharts(results, inCheckout('.github', 'images')) : [];
  print(`\nwritten: ${[file, ...charts].map(shortPath).join(', ')}`);
});

interface Options {
  readonly only: readonly Part[];
  readonly names: readonly Contestant[];
  readonly rounds: number;
  readonly seconds: number;
  readonly payments: number;
  readonly large: boolean;
  readonly out: string;
  readonly charts: boolean;
}

function readOptions(args: string[]): Options {
  const text = (standard: string) => ({ type: 'string', default: standard }) as const;
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: text(parts.join(',')),
        contestants: text(Object.keys(contestants).join(',')),
        rounds: text('3'),
        seconds: text('4'),
        payments: text('100000'),
        out: text(inCheckout('.data', 'bench')),
        large: { type: 'boolean', default: false },
        charts: { type: 'boolean', default: false },
      },
    });
    return {
      only: chosen('--only', values.only, parts),
      names: chosen('--contestants', values.contestants, Object.keys(contestants) as Contestant[]),
      rounds: positive('--rounds', values.rounds),
      seconds: positive('--seconds', values.seconds),
      payments: positive('--payments', values.payments),
      out: path.resolve(values.out),
      large: values.large,
      charts: values.charts,
    };
  } catch (error) {
    throw new PlainError(`${(error as Error).message.replace(/\.$/, '')}. --help lists the options.`);
  }
}

function chosen<Name extends string>(option: string, list = '', names: readonly Name[]): Name[] {
  return list.split(',').map((part) => {
    const name = names.find((one) => one === part.trim());
    if (!name) throw new Error(`${option} has no "${part}".`);
    return name;
  });
}

function positive(option: string, text = ''): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${option} must be a whole number.`);
  return value;
}

async function measure(options: Options): Promise<Results> {
  const { only, rounds, seconds } = options;
  const [loadAverage = 0] = os.loadavg();
  const machine = { cores: os.cpus().length, node: process.version, loadAverage, rounds, seconds };
  const server = await startScratchPostgres({ durable: true });
  try {
    return {
      machine,
      rates: only.includes('rates') ? await measureRates(server, options) : [],
      ...(only.includes('storm') && { storm: await measureStorm(server) }),
      ...(only.includes('memory') && { memory: await measureMemory(server, options.payments) }),
      ...(only.includes('growth') && {
        growth: await measureGrowth([10_000, 1_000_000, ...(options.large ? [10_000_000] : [])], (name) =>
          openBenchDatabase(server, name),
        ),
      }),
      ...(only.includes('sandbox') && {
        sandbox: await benchSandbox({ callers: 32, seconds, webhooks: true }),
      }),
      ...(only.includes('http') && { http: await measureServers(seconds) }),
    };
  } finally {
    await server.stop();
  }
}

async function measureStorm(server: Server): Promise<StormResult> {
  const url = await openBenchDatabase(server, 'bench');
  return runContestant('payment', { url, pool: 32, seconds: 1, callers: [], work: 'storm' });
}

async function measureMemory(server: Server, payments: number): Promise<MemoryResult> {
  const url = await openBenchDatabase(server, 'bench');
  return runContestant('payment', { url, pool: 32, seconds: 1, callers: [], work: 'memory', payments });
}

/** Both servers are up during both measurements, because webhooks go to one of them. */
async function measureServers(seconds: number): Promise<NonNullable<Results['http']>> {
  const harness = await openHarness();
  try {
    const [next, api] = [await harness.startApp(), await harness.startApi()];
    await harness.startWorker();
    return {
      next: await measureHttp(harness, next, { seconds }),
      api: await measureHttp(harness, api, { seconds }),
    };
  } finally {
    await harness.close();
  }
}
