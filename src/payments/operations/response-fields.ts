import { z } from 'zod';
import { currencyCodes } from '../money.ts';

/** Fields that the responses of several operations have. */
export const moneyFields = {
  amountMinor: z
    .int()
    .meta({ description: 'In the minor unit of the currency: 1200 is 12.00 USD, or 1200 JPY.' }),
  currency: z.enum(currencyCodes),
};

export const idFields = { paymentId: z.uuid(), operationId: z.uuid() };
