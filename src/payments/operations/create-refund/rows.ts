import { Prisma } from '#prisma';
import { rowsOfOwnTable } from '../own-table.ts';

export const refundRows = rowsOfOwnTable<'refund.create'>({
  table: Prisma.sql`refund`,
  providerId: Prisma.sql`provider_refund_id`,
  statesOf: {
    in_progress: ['pending', 'released'],
    unknown: ['pending'],
    completed: ['succeeded', 'failed'],
    failed_retryable: ['released'],
    expired: ['succeeded', 'failed', 'released'],
  },
});
