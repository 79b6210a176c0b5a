import { z } from 'zod';
import { problemResponse } from '#idempotency/adapters/fetch.ts';
import {
  createPayment,
  createPaymentOperation,
  createRefund,
  createRefundOperation,
  findNextAction,
} from '#payments/index.ts';
import type { Services } from '../services.ts';
import { asCaller, idempotentPost, linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';
import { createPaymentBody, createRefundBody, type paymentView } from './schemas.ts';

export function postPayment(services: Services, request: Request): Promise<Response> {
  return idempotentPost(services, request, {
    body: createPaymentBody,
    operation: createPaymentOperation,
    handler: (input) => (execution) => createPayment(services.provider, execution, input),
    describePending: async (operation) => {
      const url = await findNextAction(services.db, operation);
      return url ? { code: 'action_required', action: { type: 'redirect', url } } : {};
    },
  });
}

export function postRefund(services: Services, request: Request): Promise<Response> {
  return idempotentPost(services, request, {
    body: createRefundBody,
    operation: createRefundOperation,
    handler: (input) => (execution) => createRefund(services.provider, execution, input),
  });
}

export function getPayment(services: Services, request: Request, id: string): Promise<Response> {
  return asCaller(services, request, async ({ tenantId }) => {
    const row = z.uuid().safeParse(id).success
      ? await services.db.payment.findUnique({ where: { tenantId_id: { tenantId, id } } })
      : null;
    if (!row) return problemResponse({ spec: apiProblems.not_found }, linksOf(services));
    const view: z.input<typeof paymentView> = {
      paymentId: row.id,
      operationId: row.operationId,
      status: row.status as z.input<typeof paymentView>['status'],
      amountMinor: Number(row.amountMinor),
      currency: row.currency as z.input<typeof paymentView>['currency'],
      reference: row.reference,
      refundedMinor: Number(row.refundedMinor),
      declineCode: row.declineCode,
      createdAt: row.createdAt.toISOString(),
      completedAt: row.completedAt?.toISOString() ?? null,
    };
    return Response.json(view);
  });
}
