import { z } from 'zod';
import { currencyCodes, isAmountAllowed, maxAmountMinor } from '#payments/money.ts';

/** Strict, like every command of the API: a field whose name is misspelt would otherwise be ignored. */
export const createPaymentCommand = z
  .strictObject({
    amountMinor: z.int().positive().max(maxAmountMinor),
    currency: z.enum(currencyCodes),
    paymentMethod: z.string().regex(/^pm_\w{1,120}$/, 'must be a payment method id such as pm_card_visa'),
    reference: z.string().trim().min(1).max(200),
    receiptEmail: z.email().max(254).optional(),
    /** Where the shopper comes back to after their bank has asked them something. */
    returnUrl: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .optional(),
  })
  .refine(isAmountAllowed, {
    path: ['amountMinor'],
    message: 'must be a multiple of ten in a currency with three decimals',
  });
export type CreatePayment = z.output<typeof createPaymentCommand>;
