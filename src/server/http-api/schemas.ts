import { z } from 'zod';
import { statuses } from '#idempotency/index.ts';

/** What the HTTP API returns besides the operations' own responses. The OpenAPI description is made of these. */
const time = z.iso.datetime();

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
    .meta({ description: 'The stored response, while it is kept.' }),
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
