import { expect, test } from 'vitest';
import type { OperationRecord } from '#idempotency/index.ts';
import { createPaymentOperation } from '#payments/index.ts';
import { createDueLoops } from './due-loops.ts';
import { createLogObservers } from './log-observers.ts';
import { createObservers } from './metrics/observers.ts';

const operation = createPaymentOperation.name;
const record = { id: 'op-1', operation, tenantId: 'acme', reconcileAttempts: 1 } as OperationRecord;
const bug = () => Promise.reject(new Error('a bug'));

/** One record is due for each loop, and everything that may be done about it throws. */
function createStand() {
  const counts: [name: string, labels: unknown][] = [];
  const lines: unknown[] = [];
  const count = createObservers({
    add: (name, labels) => counts.push([name, labels]),
    observe: () => undefined,
    flush: async () => undefined,
  });
  const log = createLogObservers({ error: (line: unknown) => lines.push(line) } as never);
  const loops = createDueLoops(
    {
      queue: {
        expiredLeases: async () => [record],
        take: async () => [record],
        postpone: async () => undefined,
      },
      engine: { doubt: bug },
      operations: [createPaymentOperation],
      reconciler: { reconcile: bug },
      circuit: { permits: async () => 'all' },
    } as never,
    (event, loop) => {
      count.dueWork(event, loop);
      log.dueWork(event, loop);
    },
  );
  return { loops, counts, lines };
}

test.each([
  ['an owner that cannot be doubted', 'sweeper', 'sweep'],
  ['a look that throws', 'poller', 'poll'],
] as const)('%s is counted and logged as the %s’s', async (_, source, work) => {
  const { loops, counts, lines } = createStand();
  await loops[work](8);
  expect(counts).toEqual([['paidonce_reconcile_failed_total', { operation, source }]]);
  expect(lines).toMatchObject([{ kind: 'look_failed', source, operationId: record.id }]);
});
