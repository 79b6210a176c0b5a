import type { Because, Engine, IdempotencyStore, OperationRecord } from '#idempotency/index.ts';
import {
  answerStatus,
  createPaymentOperation,
  type FinalResult,
  findPaymentByOperation,
  type Payment,
  type PaymentProvider,
  paymentAnswer,
  releasePayment,
  settlePayment,
} from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { decide, type Evidence, evidenceOf, type ReconcileVerdict } from './decide.ts';

type Tx = Prisma.TransactionClient;

/** What a look at the provider came to, in a form that can be shown to whoever asked for it. */
export type Reconciled =
  | { readonly kind: 'settled'; readonly result: FinalResult['kind'] }
  | { readonly kind: 'released' }
  | { readonly kind: 'still_unknown'; readonly code: string }
  /** It is not unknown, or somebody else settled it meanwhile; nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' };

export interface Reconciler {
  reconcile(operationId: string, actor: string): Promise<Reconciled>;
}

/**
 * One path for all who bring or seek evidence. It reads the record, asks the provider without holding any lock or
 * transaction, decides, and writes with a condition on what it read: of two reconcilers, or a reconciler and a late
 * owner, one writes and the other finds that there is nothing left to do.
 */
export function createReconciler(parts: {
  readonly db: PrismaClient;
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}): Reconciler {
  const { db, store, engine, provider } = parts;
  const operation = createPaymentOperation;

  return {
    async reconcile(operationId, actor) {
      const record = await store.findById(operationId);
      if (record?.status !== 'unknown') return { kind: 'nothing_to_do', status: record?.status ?? 'missing' };
      const payment = await findPaymentByOperation(db, operationId);
      if (!payment) return stillUnknown('payment_missing');

      const evidence = await ask(payment);
      const verdict = decide(evidence);
      const [proof, settled] = verdict.kind === 'fence' ? await fence(verdict.intentId) : [evidence, verdict];
      return write(record, payment, settled, { actor, cause: 'reconciled', evidence: { ...proof } });
    },
  };

  /** Without an id on record the create is sent again, under its old key: it moves no money and tells the id. */
  async function ask(payment: Payment): Promise<Evidence> {
    const result = payment.providerIntentId
      ? await provider.retrieveIntent(payment.providerIntentId)
      : await provider.createIntent(payment);
    return evidenceOf(result);
  }

  /** A cancel that comes too late is answered with what the intent has become: that is evidence as well. */
  async function fence(intentId: string): Promise<[Evidence, ReconcileVerdict]> {
    const evidence = evidenceOf(await provider.cancelIntent(intentId));
    const verdict = decide(evidence);
    return [evidence, verdict.kind === 'fence' ? { kind: 'wait', code: 'fence_had_no_effect' } : verdict];
  }

  async function write(
    record: OperationRecord,
    payment: Payment,
    verdict: ReconcileVerdict,
    because: Because,
  ): Promise<Reconciled> {
    const when = { status: ['unknown'], attempt: record.attempt } as const;
    switch (verdict.kind) {
      case 'settle': {
        const { result } = verdict;
        const moved = await store.move(
          {
            id: record.id,
            when,
            to: 'completed',
            recoveryPoint: 'finished',
            answer: engine.seal(operation, record.id, {
              status: answerStatus,
              body: JSON.stringify(paymentAnswer(payment, result)),
            }),
            resource: { type: 'payment', id: payment.id },
            retention: operation.retention,
            because,
          },
          (tx) => settlePayment(tx, payment, result),
        );
        return moved ? { kind: 'settled', result: result.kind } : nothingLeft(record.id);
      }
      case 'release': {
        const moved = await store.move(
          {
            id: record.id,
            when,
            to: 'failed_retryable',
            effectSent: false,
            recoveryPoint: 'claimed',
            retention: operation.retention,
            because,
          },
          (tx) => releasePayment(tx, record.id, 'canceled'),
        );
        return moved ? { kind: 'released' } : nothingLeft(record.id);
      }
      case 'fence':
      case 'wait':
        return stillUnknown(verdict.kind === 'wait' ? verdict.code : 'fence_had_no_effect');
    }
  }

  async function nothingLeft(id: string): Promise<Reconciled> {
    const record = await store.findById(id);
    return { kind: 'nothing_to_do', status: record?.status ?? 'missing' };
  }
}

function stillUnknown(code: string): Reconciled {
  return { kind: 'still_unknown', code };
}
