import { z } from 'zod';
import { holderStatuses } from '#payments/exceptions/found-charge.ts';
import { findNextAction } from '#payments/payment-rows.ts';
import type { OperationHttp } from '../operation-kind.ts';
import { idFields, moneyFields } from '../response-fields.ts';

const paymentResult = z.object({
  ...idFields,
  status: z.enum(['succeeded', 'declined']),
  ...moneyFields,
  reference: z.string(),
  declineCode: z.string().optional(),
});

const time = z.iso.datetime();

const paymentView = z.object({
  ...idFields,
  status: z.enum(['pending', 'succeeded', 'declined', 'released']),
  ...moneyFields,
  reference: z.string(),
  refundedMinor: z.int(),
  declineCode: z.string().nullable(),
  createdAt: time,
  completedAt: time.nullable(),
});
type PaymentView = z.input<typeof paymentView>;

export const paymentHttp: OperationHttp = {
  collection: 'payments',
  scope: 'pay',
  summary: 'Create a payment',
  description: 'Charges a payment method once per key, and once per reference under any key.',
  request: { name: 'CreatePayment' },
  response: { name: 'PaymentResult', schema: paymentResult },
  read: {
    summary: 'Read a payment',
    name: 'Payment',
    schema: paymentView,
    fields: { completedAt: 'When it became certain.' },
    async find(db, tenantId, id) {
      const row = await db.payment.findUnique({ where: { tenantId_id: { tenantId, id } } });
      if (!row) return undefined;
      return {
        paymentId: row.id,
        operationId: row.operationId,
        status: row.status as PaymentView['status'],
        amountMinor: Number(row.amountMinor),
        currency: row.currency as PaymentView['currency'],
        reference: row.reference,
        refundedMinor: Number(row.refundedMinor),
        declineCode: row.declineCode,
        createdAt: row.createdAt.toISOString(),
        completedAt: row.completedAt?.toISOString() ?? null,
      } satisfies PaymentView;
    },
  },
  problemFields: { paymentId: z.uuid().optional(), paymentStatus: z.enum(holderStatuses).optional() },
  fields: {
    paymentStatus:
      'How the payment that holds the reference stands. It is kept when it ended unpaid, was found to be charged, and the shop keeps that charge: nothing more is due.',
    paymentMethod: 'What to charge: a payment method of the provider. The demo takes Stripe’s test cards.',
    reference:
      'Your own name for what is being paid. One live payment per reference, whichever key is used. One that ended unpaid and was found to be charged after all counts, unless the shop has paid it back.',
    receiptEmail: 'Where the receipt is sent.',
    returnUrl: 'Where the shopper comes back to after their bank has asked them something.',
    paymentId: 'The payment’s id.',
    declineCode: 'Why the bank said no, in Stripe’s words; only when it did.',
    refundedMinor:
      'How much of it has been paid back, or may have been: a refund counts until it is known that it was not made.',
  },
  examples: {
    paymentMethod: 'pm_card_visa',
    reference: 'invoice-7781',
    refundedMinor: 0,
    paymentId: '0197a4c2-5b1e-7c3a-9d42-1f6e8b0a7c55',
    declineCode: null,
    resource: { type: 'payment', id: '0197a4c2-5b1e-7c3a-9d42-1f6e8b0a7c55' },
  },
  async describePending(db, operation) {
    const url = await findNextAction(db, operation);
    return url ? { code: 'action_required', action: { type: 'redirect', url } } : {};
  },
};
