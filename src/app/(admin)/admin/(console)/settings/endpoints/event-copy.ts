import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type Endpoint = RouterOutputs['webhookEndpoints']['list']['endpoints'][number];
export type Delivery = RouterOutputs['webhookEndpoints']['delivery'];
export type EventType = Endpoint['eventTypes'][number];

export const eventCopy = {
  'payment.succeeded': 'A payment succeeded',
  'payment.declined': 'A payment was declined',
  'refund.succeeded': 'A refund succeeded',
  'refund.failed': 'A bank returned a refund',
} as const satisfies Record<EventType, string>;

/** Of a delivery, whose type may also be that of a test. */
export function typeCopy(type: string): string {
  return type === 'webhook.test' ? 'Test' : (eventCopy[type as EventType] ?? type);
}

/** What the endpoint responded at the last attempt, such as `200 in 45 ms`. */
export function answerCopy({
  lastStatus,
  lastDurationMs,
}: Pick<Delivery, 'lastStatus' | 'lastDurationMs'>): string | undefined {
  if (lastDurationMs === null) return undefined;
  const duration =
    lastDurationMs < 1_000 ? `${lastDurationMs} ms` : `${(lastDurationMs / 1_000).toFixed(1)} s`;
  return lastStatus === null ? `No answer in ${duration}` : `${lastStatus} in ${duration}`;
}
