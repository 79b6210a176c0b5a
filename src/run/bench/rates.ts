import pg from 'pg';
import type { startScratchPostgres } from '#run/scratch-postgres.ts';
import { print } from '#run/terminal.ts';
import type { LoadResult } from './contestant-process.ts';
import { type Contestant, contestants } from './contestants.ts';
import { prepare } from './peer.ts';
import { isPgbenchInstalled, runPgbench } from './pgbench.ts';
import { median, type Rates, spreadPercent } from './results.ts';
import { runContestant } from './run-contestant.ts';
import { benchTables } from './tables.ts';

/** As many connections as callers. Our own workloads take no more than the app has. */
const pool = 32;

export type Server = Awaited<ReturnType<typeof startScratchPostgres>>;

/** An empty database with the migrations and the tables of the workload. */
export async function openBenchDatabase(server: Server, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: server.url('postgres') });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  const url = server.url(name);
  await prepare(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(benchTables);
  await client.query(
    `INSERT INTO idem_keys (key, hash, status, response) VALUES ('pgbench-replay', 'x', 'done', '{"chargeId": "ch_1"}')`,
  );
  await client.query('CHECKPOINT');
  await client.end();
  return url;
}

interface Round {
  readonly at1: number;
  readonly at32: number;
  readonly replay: number | undefined;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/**
 * All contestants in every round, in the opposite order every other round: what else happens on the machine meets all of them.
 */
export async function measureRates(
  server: Server,
  options: { readonly names: readonly Contestant[]; readonly rounds: number; readonly seconds: number },
): Promise<Rates[]> {
  const { names, seconds } = options;
  const hasLimit = await isPgbenchInstalled();
  if (!hasLimit) print('pgbench is not on this machine, so there is no limit to compare with.');
  const order: readonly ('limit' | Contestant)[] = hasLimit ? ['limit', ...names] : names;
  const rounds = new Map<string, Round[]>(order.map((id) => [id, []]));
  for (let round = 1; round <= options.rounds; round++) {
    for (const id of round % 2 === 1 ? order : order.toReversed()) {
      const url = await openBenchDatabase(server, 'bench');
      const measured = id === 'limit' ? await measureLimit(url, seconds) : await measureOne(id, url, seconds);
      rounds.get(id)?.push(measured);
      const { at1, at32 } = measured;
      print(`round ${round}: ${labelOf(id)}: ${Math.round(at1)} / ${Math.round(at32)} per second`);
    }
  }
  return order.map((id) => ratesOf(id, rounds.get(id) ?? []));
}

async function measureLimit(url: string, seconds: number): Promise<Round> {
  const run = async (work: 'pay' | 'replay', callers: number) =>
    (await runPgbench(url, { work, callers, seconds })).perSecond;
  return { at1: await run('pay', 1), at32: await run('pay', 32), replay: await run('replay', 32) };
}

async function measureOne(name: Contestant, url: string, seconds: number): Promise<Round> {
  const task = { url, pool, seconds, callers: [1, 32], work: 'load' } as const;
  const { fresh, replay } = await runContestant<LoadResult>(name, task);
  const [one, many] = [fresh[1], fresh[32]];
  if (!one || !many) throw new Error(`${name} has no figures.`);
  return {
    at1: one.perSecond,
    at32: many.perSecond,
    replay: replay?.perSecond,
    p50Ms: many.p50Ms,
    p99Ms: many.p99Ms,
  };
}

function ratesOf(id: 'limit' | Contestant, rounds: readonly Round[]): Rates {
  const of = (read: (round: Round) => number | undefined) => {
    const values = rounds.map(read).filter((value) => value !== undefined);
    return values.length > 0 ? median(values) : undefined;
  };
  const [p50Ms, p99Ms] = [of((round) => round.p50Ms), of((round) => round.p99Ms)];
  return {
    id,
    label: labelOf(id),
    at1: of(({ at1 }) => at1) ?? Number.NaN,
    at32: of(({ at32 }) => at32) ?? Number.NaN,
    replay: of(({ replay }) => replay),
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
    spreadPercent: spreadPercent(rounds.map(({ at32 }) => at32)),
  };
}

function labelOf(id: 'limit' | Contestant): string {
  return id === 'limit' ? 'limit: pgbench, 2 commits' : contestants[id].label;
}
