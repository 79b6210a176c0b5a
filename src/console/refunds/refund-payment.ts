import { money } from '#payments/money.ts';
import type { Actor } from '../audit/write-audit-entry.ts';
import { isAboveLimit, refundLimitProblems } from './refund-limits.ts';
import { openRefundProposal } from './refund-proposals.ts';
import { isOutdated, type RefundRequest } from './refund-request.ts';
import { type RefundResult, type RefundServices, refusalOf, runRefund } from './run-refund.ts';

export type RefundRequested =
  | RefundResult
  | { readonly kind: 'proposed' }
  | { readonly kind: 'already_proposed' }
  | { readonly kind: 'missing' };

/** Above the tenant's limit the refund is proposed to a second person; otherwise it is made. */
export async function refundPayment(
  services: RefundServices,
  actor: Actor,
  request: RefundRequest,
): Promise<RefundRequested> {
  const { db } = services;
  const { tenantId } = actor;
  const payment = await db.payment.findUnique({
    where: { tenantId_id: { tenantId, id: request.paymentId } },
  });
  if (!payment) return { kind: 'missing' };
  const refusal = refusalOf(payment, request);
  const { currency } = money(payment.amountMinor, payment.currency);
  if (request.propose || (await isAboveLimit(db, tenantId, currency, request))) return propose();
  const spec = refundLimitProblems.refund_takes_second_person;
  const made = await runRefund(services, actor, request, async (tx) =>
    (await isAboveLimit(tx, tenantId, currency, request)) ? { spec } : undefined,
  );
  // Another refund was made at the same moment.
  return made.kind === 'refused' && made.code === spec.code ? propose() : made;

  async function propose(): Promise<RefundRequested> {
    if (await isOutdated(db, tenantId, request)) return { kind: 'outdated' };
    return refusal ?? openRefundProposal(db, actor, request);
  }
}
