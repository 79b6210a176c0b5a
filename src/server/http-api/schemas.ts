import { z } from 'zod';
import { statuses } from '#idempotency/index.ts';
import { createPaymentCommand, createRefundCommand } from '#payments/index.ts';
import { currencyCodes } from '#payments/money.ts';

/** What goes in and out of the HTTP API. The handlers parse with these and the OpenAPI description is made of them. */
const money = {
  amountMinor: z
    .int()
    .meta({ description: 'In the minor unit of the currency: 1200 is 12.00 USD, or 1200 JPY.' }),
  currency: z.enum(currencyCodes),
};
const ids = { paymentId: z.uuid(), operationId: z.uuid() };
const time = z.iso.datetime();

export const createPaymentBody = createPaymentCommand;
export const createRefundBody = createRefundCommand;

export const paymentResult = z.object({
  ...ids,
  status: z.enum(['succeeded', 'declined']),
  ...money,
  reference: z.string(),
  declineCode: z.string().optional(),
});

export const refundResult = z.object({
  refundId: z.uuid(),
  ...ids,
  status: z.enum(['succeeded']),
  ...money,
});

export const paymentView = z.object({
  ...ids,
  status: z.enum(['pending', 'succeeded', 'declined', 'released']),
  ...money,
  reference: z.string(),
  refundedMinor: z.int(),
  declineCode: z.string().nullable(),
  createdAt: time,
  completedAt: time.nullable(),
});

export const operationView = z.object({
  operationId: z.uuid(),
  operation: z.string(),
  status: z.enum(statuses),
  attempt: z.int(),
  errorCode: z.string().nullable(),
  resource: z.object({ type: z.string(), id: z.string() }).nullable(),
  response: z
    .object({ status: z.int(), body: z.unknown() })
    .nullable()
    .meta({ description: 'What the request was answered with, while it is kept.' }),
  createdAt: time,
  updatedAt: time,
  completedAt: time.nullable(),
});

export const pendingResult = z.object({
  operationId: z.uuid(),
  status: z.enum(['unknown', 'in_progress']),
  code: z.enum(['operation_unknown', 'operation_in_progress', 'action_required']),
  action: z
    .object({ type: z.enum(['redirect']), url: z.url() })
    .optional()
    .meta({ description: 'The bank wants to see the shopper: send them here. They come back to returnUrl.' }),
  detail: z.string(),
  statusUrl: z.string(),
});

export const problemDocument = z.looseObject({
  type: z.url(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  action: z.string(),
  newKey: z.enum(['safe', 'unsafe']),
  operationId: z.uuid().optional(),
  statusUrl: z.string().optional(),
});
