import { setTimeout as delay } from 'node:timers/promises';
import { type IdempotencyStore, type OperationRecord, operationRefOf } from '#idempotency/index.ts';
import { createPaymentKind } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import type { Reconciler } from '#reconciliation/index.ts';
import { type ClientParts, createClient, type PayRequest } from './client.ts';
import type { ProviderLedger } from './ledger.ts';
import { type PayEnd, payNaively, payWithKey } from './pay.ts';
import { type KeyName, ordinaryCard, type Scenario, type Step } from './scenario.ts';

/** The operation that the protected lane pays through: the one of the HTTP API. */
export const laneOperation = createPaymentKind.definition.name;

export interface LanePlay extends ClientParts {
  readonly scenario: Scenario;
  readonly tenantId: string;
  readonly reference: string;
  readonly db: Prisma.TransactionClient;
  readonly store: IdempotencyStore<Prisma.TransactionClient>;
  readonly reconciler: Reconciler;
  readonly ledger: ProviderLedger;
  keyOf(name: KeyName): string;
}

const pollMs = 100;

/** Plays the steps of a scenario in one lane, and waits until nothing is under way any more. */
export async function playLane(play: LanePlay): Promise<void> {
  const { scenario, lane, seeded } = play;
  const client = createClient(play);
  let paid = false;
  for (const step of scenario.steps) {
    if (step.do === 'pay' || step.do === 'send') {
      if (step.unlessPaid && paid) continue;
      const ends = await Promise.all(requestsOf(step).map((request) => perform(step, request)));
      paid ||= ends.includes('paid');
    } else if (step.do === 'thaw') {
      play.servers.thaw();
      play.log({ atMs: Date.now(), what: 'thawed' });
      await until(() => !play.servers.isBusy());
    } else if (lane === 'protected') {
      if (step.do === 'operator') await resolveAsOperator();
      else if (step.do === 'expire_key') await expireKey();
      else await until(() => hasSent(step.events));
    }
  }
  await until(() => !play.servers.isBusy());
  if (lane === 'protected') await until(async () => (await stuckRecords(play)).length === 0);

  function requestsOf(step: Extract<Step, { do: 'pay' | 'send' }>): PayRequest[] {
    const { keys = ['A'], callers = 1, card = scenario.card ?? ordinaryCard } = step;
    const amountMinor = step.amount === 'other' ? seeded.otherAmountMinor : seeded.amountMinor;
    return keys.flatMap((key, index) =>
      Array.from({ length: callers }, (_, caller) => ({
        caller: index * callers + caller + 1,
        key,
        idempotencyKey: play.keyOf(key),
        command: { amountMinor, currency: 'eur' as const, paymentMethod: card, reference: play.reference },
      })),
    );
  }

  async function perform(
    step: Extract<Step, { do: 'pay' | 'send' }>,
    request: PayRequest,
  ): Promise<PayEnd | undefined> {
    if (step.do === 'send') {
      const sent = await client.send(request);
      return sent.kind === 'responded' && sent.status === 201 ? 'paid' : undefined;
    }
    if (lane === 'naive') return payNaively(client, request);
    return payWithKey(client, request, step.stopWhenReleased === true);
  }

  /** The sweeper marks the outcome unknown when the lease of the killed owner has expired. */
  async function resolveAsOperator(): Promise<void> {
    await until(async () => (await recordOf(play, 'A'))?.status !== 'in_progress');
    play.log({ atMs: Date.now(), what: 'operator' });
    const record = await recordOf(play, 'A');
    if (record) await play.reconciler.reconcile(record, 'operator:lab');
  }

  /**
   * The replay window is ended here instead of being short: it is counted from the payment's completion, and the process
   * that completes it may be the worker, which knows nothing of a run.
   */
  async function expireKey(): Promise<void> {
    const { tenantId } = play;
    const { id } = operationRefOf({ tenantId, operation: laneOperation, key: play.keyOf('A') });
    await play.db.$executeRaw`
      UPDATE idempotency_record SET expires_at = statement_timestamp(), body_purge_at = statement_timestamp()
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'completed'`;
    await until(async () => {
      await play.store.reap('expire', 100);
      return (await recordOf(play, 'A'))?.status === 'expired';
    });
    play.log({ atMs: Date.now(), what: 'reaped' });
  }

  async function hasSent(events: readonly string[]): Promise<boolean> {
    const { webhooks } = await play.ledger.activityFor(play.reference);
    const wanted = Map.groupBy(events, (type) => type);
    return [...wanted].every(
      ([type, { length }]) => webhooks.filter((webhook) => webhook.type === type).length >= length,
    );
  }

  /** Other processes do the work that is waited for, and they give no signal that fits all of it. */
  async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isDone())) await delay(pollMs, undefined, { signal: play.signal });
  }
}

/** Records of the run that are in progress or unknown. */
export async function stuckRecords(play: LanePlay): Promise<OperationRecord[]> {
  const records = await Promise.all((['A', 'B'] as const).map((name) => recordOf(play, name)));
  return records.filter(
    (record) => record !== undefined && ['in_progress', 'unknown'].includes(record.status),
  ) as OperationRecord[];
}

export function recordOf(play: LanePlay, name: KeyName): Promise<OperationRecord | undefined> {
  const { tenantId } = play;
  return play.store.findById(operationRefOf({ tenantId, operation: laneOperation, key: play.keyOf(name) }));
}
