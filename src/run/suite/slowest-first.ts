import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take tens of seconds, mostly because they start processes and wait for them. Vitest has no durations in a fresh
 * checkout and orders files by size, which would start some of these last, with nothing left to run beside them.
 */
export const slowFiles = [
  'src/server/trpc/authorization.db.test.ts',
  'src/console/operations-list/million-operations.db.test.ts',
  'src/run/supervisor.db.test.ts',
  'src/server/statements.db.test.ts',
  'src/payments/outbox/crash.db.test.ts',
  'src/idempotency/model.db.test.ts',
  'src/sandbox/process.db.test.ts',
  'src/run/worker-failover.db.test.ts',
  'src/run/owner.db.test.ts',
  'src/reconciliation/crash-refund.db.test.ts',
  'src/reconciliation/crash.db.test.ts',
  'src/server/lab/lab.system.test.ts',
  'src/server/stalled-owners.system.test.ts',
  'src/server/reconciliation.system.test.ts',
  'src/server/lab/take-away.system.test.ts',
];

function rankOf({ moduleId }: TestSpecification): number {
  const rank = slowFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank === -1 ? slowFiles.length : rank;
}

/** The order of Vitest, after the slow files. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    return sorted.toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}
