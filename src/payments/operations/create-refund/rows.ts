import { Prisma } from '#prisma';
import { rowsOfOwnTable } from '../own-table.ts';

export const refundRows = rowsOfOwnTable<'refund.create'>({
  table: Prisma.sql`refund`,
  providerId: Prisma.sql`provider_refund_id`,
  knows: Prisma.sql`EXISTS (
    SELECT FROM refund r WHERE r.tenant_id = given.tenant_id AND r.operation_id = given.operation_id
      AND r.provider_refund_id = given.object_id AND r.asserted_at IS NULL
      AND r.status = 'succeeded' AND given.state = 'succeeded')`,
  statesOf: {
    in_progress: ['pending', 'released'],
    unknown: ['pending'],
    completed: ['succeeded', 'failed'],
    failed_retryable: ['released'],
    expired: ['succeeded', 'failed', 'released'],
  },
});
