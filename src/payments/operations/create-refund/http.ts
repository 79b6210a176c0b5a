import { z } from 'zod';
import type { OperationHttp } from '../operation-kind.ts';
import { idFields, moneyFields } from '../response-fields.ts';

const refundResult = z.object({
  refundId: z.uuid(),
  ...idFields,
  status: z.enum(['succeeded']),
  ...moneyFields,
});

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
  fields: { refundId: 'The refund’s id.' },
  examples: { refundId, resource: { type: 'refund', id: refundId } },
};
