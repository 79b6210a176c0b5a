import { afterAll, beforeAll, expect, test } from 'vitest';
import { withClient } from '#run/testing/database.ts';
import { batchCallerOf, type ConsoleHarness, openConsoleHarness } from './testing/console-harness.ts';
import { memberReadLimits } from './turns.ts';

let harness: ConsoleHarness;
beforeAll(async () => {
  harness = await openConsoleHarness();
});
afterAll(() => harness.close());

test('what the members of one shop read leaves connections for those of another', async () => {
  const [busy, quiet] = [
    await harness.createMember(await harness.openShop('globex'), 'viewer'),
    await harness.createMember(await harness.openShop('acme'), 'viewer'),
  ];
  // The first request of a process loads what it needs.
  await busy.call.views.list();
  const { DATABASE_URL = '' } = harness.services.settings;
  await withClient(DATABASE_URL, (holder) =>
    withClient(DATABASE_URL, async (watcher) => {
      const countWaiting = async () => {
        const { rows } = await watcher.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length;
      };
      // A table that is locked stands for long lists: each read of it lasts.
      await holder.query('BEGIN; LOCK TABLE saved_view IN ACCESS EXCLUSIVE MODE');
      const api = batchCallerOf(busy.cookie);
      const reads = Promise.allSettled(Array.from({ length: 30 }, () => api.views.list()));
      await expect.poll(countWaiting, { timeout: 20_000 }).toBeGreaterThan(0);
      expect(await quiet.call.operations.assignees()).toEqual([]);
      expect(await countWaiting()).toBeLessThanOrEqual(memberReadLimits.atOnceOfOne ?? 0);
      await holder.query('COMMIT');
      expect((await reads).some(({ status }) => status === 'fulfilled')).toBe(true);
    }),
  );
});
