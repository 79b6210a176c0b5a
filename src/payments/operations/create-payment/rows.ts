import { Prisma } from '#prisma';
import { moneyColumns } from '../money-columns.ts';
import type { OperationRows } from '../operation-kind.ts';

const { sql } = Prisma;

const columns = moneyColumns({
  id: sql`p.id`,
  amountMinor: sql`p.amount_minor`,
  status: sql`p.status`,
  declineCode: sql`p.decline_code`,
  providerId: sql`p.provider_intent_id`,
});

export const paymentRows: OperationRows<'payment.create'> = {
  money: (tenantId, operationId) => sql`
    SELECT ${columns} FROM payment p WHERE p.tenant_id = ${tenantId} AND p.operation_id = ${operationId}`,
  ofPayments: (payments) => sql`SELECT tenant_id, operation_id AS id FROM (${payments}) AS p`,
  byProviderId: null,
  // An event is about the intent or about its charge. A declined intent is cancelled afterwards.
  knows: sql`EXISTS (
    SELECT FROM payment p WHERE p.tenant_id = given.tenant_id AND p.operation_id = given.operation_id
      AND p.provider_intent_id = given.intent_id AND p.asserted_at IS NULL
      AND (p.status, given.state) IN (('succeeded', 'succeeded'), ('declined', 'requires_payment_method'),
        ('declined', 'canceled'), ('declined', 'failed')))`,
  byAmount: {
    table: sql`payment`,
    hasCurrency: true,
    statesOf: {
      in_progress: ['pending', 'released'],
      unknown: ['pending'],
      completed: ['succeeded', 'declined'],
      failed_retryable: ['released'],
      expired: ['succeeded', 'declined', 'released'],
    },
  },
};
