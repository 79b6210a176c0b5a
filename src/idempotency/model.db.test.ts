import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrowdedStore } from './testing/crowded-store.ts';
import { anyCommands, createPair, expectOneWriter } from './testing/model-commands.ts';
import {
  openPostgresEngines,
  type PostgresEngine,
  type PostgresEngines,
} from './testing/postgres-engines.ts';

// About three thousand commands, and others with every run of the suite.
const runs = 130;
const seed = Number(process.env.PAIDONCE_SEED ?? Math.floor(Math.random() * 2 ** 31));

let engines: PostgresEngines;
let postgres: PostgresEngine;
beforeAll(async () => {
  engines = await openPostgresEngines();
  postgres = engines.open({ store: createCrowdedStore });
});
afterAll(() => engines.close());

test('in any order of events, PostgreSQL and the engine do what the contract says', {
  timeout: 300_000,
}, async () => {
  let executed = 0;
  const property = fc.asyncProperty(anyCommands(60), async (sequence) => {
    const pair = createPair(postgres);
    await fc.asyncModelRun(() => ({ model: pair, real: pair }), sequence);
    await expectOneWriter(pair);
    executed += pair.executed;
  });
  // On a busy machine the time limit ends the runs early, and also the shrinking of a failure.
  await fc.assert(property, { numRuns: runs, seed, interruptAfterTimeLimit: 270_000 });
  process.stdout.write(
    `model: ${executed} commands in up to ${runs} runs; repeat with PAIDONCE_SEED=${seed}\n`,
  );
  expect(executed).toBeGreaterThan(2_000);
});

describe('afterwards the append-only events of all records show', () => {
  test('that every transition of the table happened, and no other', async () => {
    const rows = await postgres.db.$queryRaw<{ step: string; times: number }[]>`
      SELECT coalesce(from_status, 'nothing') || ' → ' || to_status AS step, count(*)::int AS times
      FROM idempotency_event WHERE from_status IS DISTINCT FROM to_status GROUP BY step ORDER BY step`;
    expect(rows.map(({ step }) => step)).toEqual([
      'completed → expired',
      'failed_retryable → expired',
      'failed_retryable → in_progress',
      'in_progress → completed',
      'in_progress → failed_retryable',
      'in_progress → unknown',
      'nothing → in_progress',
      'unknown → completed',
      'unknown → failed_retryable',
    ]);
  });

  test('that unknown was left by evidence or by its own late owner, never by time', async () => {
    const rows = await postgres.db.$queryRaw<{ actor: string }[]>`
      SELECT DISTINCT actor FROM idempotency_event WHERE from_status = 'unknown' ORDER BY actor`;
    expect(rows.map(({ actor }) => actor)).toEqual(['owner', 'reconciler']);
  });

  test('that each step began where the one before had ended, and the record is where the last one left it', async () => {
    const [broken] = await postgres.db.$queryRaw<{ links: number; ends: number; lost: number }[]>`
      WITH step AS (
        SELECT *, lag(to_status) OVER history AS before, lead(id) OVER history IS NULL AS is_last
        FROM idempotency_event WINDOW history AS (PARTITION BY tenant_id, record_id ORDER BY id))
      SELECT count(*) FILTER (WHERE step.from_status IS DISTINCT FROM step.before
          -- A deleted key is claimed again under the same id.
          AND NOT (step.from_status IS NULL AND step.before = 'expired'))::int AS links,
        count(*) FILTER (WHERE is_last AND record.status <> step.to_status)::int AS ends,
        count(*) FILTER (WHERE is_last AND record.id IS NULL AND step.to_status <> 'expired')::int AS lost
      FROM step LEFT JOIN idempotency_record record ON record.tenant_id = step.tenant_id AND record.id = step.record_id`;
    expect(broken).toEqual({ links: 0, ends: 0, lost: 0 });
  });
});
