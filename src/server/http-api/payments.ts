import { z } from 'zod';
import { problemResponse } from '#idempotency/adapters/fetch.ts';
import {
  createPayment,
  createPaymentOperation,
  createRefund,
  createRefundOperation,
  findNextAction,
} from '#payments/index.ts';
import type { House } from '../services.ts';
import { asCaller, idempotentPost, linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';
import { createPaymentBody, createRefundBody, type paymentView } from './schemas.ts';

export function postPayment(house: House, request: Request): Promise<Response> {
  return idempotentPost(house, request, {
    body: createPaymentBody,
    operation: createPaymentOperation,
    handler: (input) => (execution) => createPayment(house.provider, execution, input),
    describePending: async (operationId) => {
      const url = await findNextAction(house.db, operationId);
      return url ? { code: 'action_required', action: { type: 'redirect', url } } : {};
    },
  });
}

export function postRefund(house: House, request: Request): Promise<Response> {
  return idempotentPost(house, request, {
    body: createRefundBody,
    operation: createRefundOperation,
    handler: (input) => (execution) => createRefund(house.provider, execution, input),
  });
}

export function getPayment(house: House, request: Request, id: string): Promise<Response> {
  return asCaller(house, request, async ({ tenantId }) => {
    const row = z.uuid().safeParse(id).success
      ? await house.db.payment.findFirst({ where: { id, tenantId } })
      : null;
    if (!row) return problemResponse({ spec: apiProblems.not_found }, linksOf(house));
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
      settledAt: row.settledAt?.toISOString() ?? null,
    };
    return Response.json(view);
  });
}
