import { z } from 'zod';
import type { OperationHttp } from '../operation-kind.ts';
import { idFields, moneyFields } from '../response-fields.ts';

const refundResult = z.object({
  refundId: z.uuid(),
  ...idFields,
  status: z.enum(['succeeded']),
  ...moneyFields,
});

const time = z.iso.datetime();

const refundView = z.object({
  refundId: z.uuid(),
  ...idFields,
  status: z.enum(['pending', 'succeeded', 'failed', 'released']),
  ...moneyFields,
  reference: z.string(),
  createdAt: time,
  completedAt: time.nullable(),
});
type RefundView = z.input<typeof refundView>;

const refundId = '0197a4c9-11d0-7f02-8a6b-54c0e2d9b713';

export const refundHttp: OperationHttp = {
  collection: 'refunds',
  scope: 'refund',
  summary: 'Refund a payment',
  description: 'In part or, without an amount, all that is left. Never more than was paid.',
  request: {
    name: 'CreateRefund',
    fields: {
      amountMinor: 'How much to pay back. Left out: all that is left.',
      paymentId: 'The payment to refund.',
      reference:
        'Your own name for this refund. One live refund of a payment per reference, whichever key is used. It must not begin with `console-` or `dashboard-`: refunds that are made there have such names.',
    },
  },
  response: { name: 'RefundResult', schema: refundResult },
  read: {
    summary: 'Read a refund',
    name: 'Refund',
    schema: refundView,
    fields: {
      paymentId: 'The payment that is refunded.',
      reference: 'Your own name for this refund.',
      status:
        'How it stands: failed means that it succeeded and the bank returned the money later, released that nothing was paid back.',
      completedAt: 'When it became certain.',
    },
    async find(db, tenantId, id) {
      const row = await db.refund.findUnique({
        where: { tenantId_id: { tenantId, id } },
        include: { payment: { select: { currency: true } } },
      });
      if (!row) return undefined;
      return {
        refundId: row.id,
        paymentId: row.paymentId,
        operationId: row.operationId,
        status: row.status as RefundView['status'],
        amountMinor: Number(row.amountMinor),
        currency: row.payment.currency as RefundView['currency'],
        reference: row.reference,
        createdAt: row.createdAt.toISOString(),
        completedAt: row.completedAt?.toISOString() ?? null,
      } satisfies RefundView;
    },
  },
  fields: { refundId: 'The refund’s id.' },
  examples: { refundId, resource: { type: 'refund', id: refundId } },
};
