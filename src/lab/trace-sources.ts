import type { OperationRef } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { Charge, ProviderActivity } from './ledger.ts';
import type { KeyName, LaneName } from './scenario.ts';
import type { Actor, TraceEvent } from './trace.ts';

type Db = Prisma.TransactionClient;

type ProviderRequest = ProviderActivity['requests'][number];

/** What the database wrote down of a record by itself. */
export async function traceOfRecord(
  db: Db,
  { tenantId, id }: OperationRef,
  key: KeyName,
  startMs: number,
): Promise<TraceEvent[]> {
  const events = await db.idempotencyEvent.findMany({
    where: { tenantId, recordId: id },
    orderBy: { id: 'asc' },
  });
  return events.map((event) => ({
    atMs: event.at.getTime() - startMs,
    from: writerOf(event.actor),
    to: 'database',
    kind: 'state',
    text: textOf(event),
    record: { key, status: event.toStatus, recoveryPoint: event.recoveryPoint, attempt: event.attempt },
    times: 1,
  }));
}

/** Owners and requests are the server's; everything else is done by the worker. */
function writerOf(actor: string): Actor {
  return actor === 'owner' || actor === 'request' ? 'app' : 'worker';
}

function textOf(event: {
  fromStatus: string | null;
  toStatus: string;
  recoveryPoint: string;
  attempt: number;
  actor: string;
}): string {
  const by =
    writerOf(event.actor) === 'app' ? '' : ` (by ${event.actor.split(':')[0]?.replaceAll('_', ' ')})`;
  switch (event.toStatus) {
    case 'in_progress':
      if (event.fromStatus === null) return 'Key claimed';
      if (event.fromStatus === 'failed_retryable') return `Key claimed again, attempt ${event.attempt}`;
      return `Committed: ${event.recoveryPoint}`;
    case 'unknown':
      return `Outcome unknown${by}`;
    case 'failed_retryable':
      return `Not charged: the key may be used again${by}`;
    case 'completed':
      return `Completed${by}`;
    default:
      return `Expired${by}`;
  }
}

/** What arrived at the provider, which of it moved money by the provider's own ledger, and which webhooks it sent. */
export function traceOfProvider(
  { requests, webhooks }: ProviderActivity,
  charges: readonly Charge[],
  lane: LaneName,
  startMs: number,
): TraceEvent[] {
  const charged = new Set(charges.filter(({ status }) => status === 'succeeded').map(({ intent }) => intent));
  const arrived = requests.map((request): TraceEvent => {
    const moves = request.action === 'confirm' && !request.replayed && charged.delete(request.intent);
    return {
      atMs: request.at_ms - startMs,
      from: isCheck(request) && lane === 'protected' ? 'worker' : 'app',
      to: 'provider',
      kind: moves ? 'charge' : 'request',
      text: `${actionText(request, moves)}${missing[request.sent]}`,
      times: 1,
    };
  });
  // The naive checkout does not listen to webhooks.
  if (lane === 'naive') return arrived;
  const sent = webhooks.map(
    ({ at_ms, type }): TraceEvent => ({
      atMs: at_ms - startMs,
      from: 'provider',
      to: 'app',
      kind: 'webhook',
      text: `Webhook ${type}`,
      times: 1,
    }),
  );
  return [...arrived, ...sent];
}

function isCheck({ action }: ProviderRequest): boolean {
  return action === 'retrieve' || action === 'cancel';
}

function actionText({ action, intent_status, status, replayed }: ProviderRequest, moves: boolean): string {
  switch (action) {
    case 'create':
      return replayed ? 'Create intent (same key: same intent)' : 'Create intent';
    case 'confirm':
      if (moves) return 'Confirm: money moves';
      if (replayed) return 'Confirm again (same key: no second charge)';
      return status === 402 ? 'Confirm: declined' : 'Confirm: nothing happens';
    case 'retrieve':
      return `What became of it? ${(intent_status ?? String(status)).replaceAll('_', ' ')}`;
    case 'cancel':
      return status === 200 ? 'Cancel: it can never charge now' : 'Cancel: too late';
    default:
      return action;
  }
}

const missing: Record<ProviderRequest['sent'], string> = {
  response: '',
  slow: ', answered late',
  nothing: ', no answer is sent',
  reset: ', connection reset',
  half: ', half an answer is sent',
};
