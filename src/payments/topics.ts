/** Changes of the payments for a reference are signalled under this topic. The triggers on payments build the same text. */
export function topicOfReference({
  tenantId,
  reference,
}: {
  readonly tenantId: string;
  readonly reference: string;
}): string {
  return `reference:${tenantId}:${reference}`;
}

/** Wakes the relay: a commit has written an event. */
export const outboxTopic = 'outbox';
