import { randomUUID } from 'node:crypto';
import type { OperationRef } from '#idempotency/index.ts';
import type { System } from './app-process.ts';

export function paymentBody(paymentMethod: string) {
  return { amountMinor: 1200, currency: 'usd', paymentMethod, reference: `invoice-${randomUUID()}` };
}

/** What the processes of a system have written about payments of its first tenant. */
export function paymentRows({ db, tenants }: System) {
  async function books(reference: string) {
    const payments = await db.payment.findMany({
      where: { tenantId: tenants[0].id, reference },
      include: { ledger: true, events: true },
    });
    return payments.map(({ status, ledger, events }) => ({
      status,
      entries: ledger.length,
      events: events.length,
    }));
  }

  const transitionsOf = ({ tenantId, id }: OperationRef) =>
    db.idempotencyEvent.findMany({ where: { tenantId, recordId: id }, orderBy: { id: 'asc' } });

  const findRecord = ({ tenantId, id }: OperationRef) =>
    db.idempotencyRecord.findUnique({ where: { tenantId_id: { tenantId, id } } });

  const callsOf = ({ tenantId, id }: OperationRef, call: string) =>
    db.providerCall.findMany({
      where: { tenantId, operationId: id, call },
      orderBy: { startedAt: 'asc' },
    });

  return { books, transitionsOf, findRecord, callsOf };
}

export type PaymentRows = ReturnType<typeof paymentRows>;
