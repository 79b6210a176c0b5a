import { type ChangeSignal, type OperationRef, operationTopic } from '#idempotency/index.ts';
import { moneyOfOperation, paymentEventTypes } from '#payments/index.ts';
import { Prisma } from '#prisma';

/** What follows a completion (receipts, webhooks, proposals) does not notify; the page shows it after at most this time. */
const maxWaitMs = 4_000;

/**
 * A digest of everything the operation's page shows; it changes when any of that changes. Each part is an index lookup,
 * because an open page asks every few seconds.
 */
export async function versionOf(
  db: Prisma.TransactionClient,
  { tenantId, id }: OperationRef,
): Promise<string> {
  const [row] = await db.$queryRaw<{ version: string }[]>`
    SELECT md5(concat_ws('.',
      (SELECT max(e.id) FROM idempotency_event e WHERE e.tenant_id = r.tenant_id AND e.record_id = r.id),
      r.check_count, r.next_check_at, r.escalated_at, r.expires_at,
      (SELECT max(c.id) FROM provider_call c WHERE c.tenant_id = r.tenant_id AND c.operation_id = r.id),
      (SELECT sum(m.times) FROM key_misuse m WHERE m.tenant_id = r.tenant_id AND m.record_id = r.id),
      (SELECT count(*) || '-' || count(v.decided_at) FROM resolution_proposal v
        WHERE v.tenant_id = r.tenant_id AND v.operation_id = r.id),
      (SELECT count(*) || '-' || count(p.processed_at) FROM provider_event p
        WHERE p.tenant_id = r.tenant_id AND p.operation_id = r.id),
      (SELECT max(a.id) FROM audit_entry a
        WHERE a.tenant_id = r.tenant_id AND a.subject_type = 'operation' AND a.subject_id = r.id::text),
      ${moneyVersion}, ${messagesVersion})) AS version
    FROM operation r
    LEFT JOIN LATERAL (${moneyOfOperation(Prisma.sql`r.tenant_id`, Prisma.sql`r.id`)}) AS own ON true
    LEFT JOIN payment p ON p.tenant_id = r.tenant_id AND p.id = own.payment_id
    WHERE r.tenant_id = ${tenantId} AND r.id = ${id}::uuid`;
  return row?.version ?? 'gone';
}

/** The state of the operation's own row, of the payment `p`, its refunds and its exceptions. The ledger only grows: its size is enough. */
const moneyVersion = Prisma.sql`
  own.status, p.status, p.decline_code, p.generation, p.refunded_minor, p.provider_intent_id, p.provider_charge_id,
  (SELECT count(*) FROM ledger_entry l WHERE l.tenant_id = p.tenant_id AND l.payment_id = p.id),
  (SELECT string_agg(o.id || o.status, ',' ORDER BY o.id) FROM refund o
    WHERE o.tenant_id = p.tenant_id AND o.payment_id = p.id),
  (SELECT string_agg(t.id || t.status, ',' ORDER BY t.id) FROM reconciliation_exception t
    WHERE t.tenant_id = p.tenant_id AND t.payment_id = p.id)`;

/** The events and e-mails about it, and whether they were delivered. */
const messagesVersion = Prisma.sql`
  (SELECT string_agg(o.id || coalesce(d.id || d.status, ''), ',' ORDER BY o.id, d.id)
    FROM outbox_event o LEFT JOIN merchant_webhook_delivery d ON d.tenant_id = o.tenant_id AND d.event_id = o.id
    WHERE o.tenant_id = p.tenant_id AND o.source_id = own.own_id AND o.type = ANY(${paymentEventTypes})),
  (SELECT string_agg(m.id || m.status, ',' ORDER BY m.id) FROM email m
    WHERE m.tenant_id = p.tenant_id
      AND m.dedupe_key IN ('receipt:' || own.own_id, 'refund:' || own.own_id))`;

/** Returns when the version has changed, or after `maxWaitMs`. A change of status is notified right after its commit. */
export async function watchOperation(
  { db, signal }: { readonly db: Prisma.TransactionClient; readonly signal: ChangeSignal },
  ref: OperationRef,
  shownVersion: string | undefined,
  aborted: AbortSignal | undefined,
): Promise<{ readonly version: string }> {
  const watch = await signal.watch(operationTopic(ref)).catch(() => undefined);
  const close = () => watch?.close();
  aborted?.addEventListener('abort', close, { once: true });
  try {
    const version = await versionOf(db, ref);
    if (!watch || version !== shownVersion || aborted?.aborted) return { version };
    await watch.changed(maxWaitMs).catch(() => undefined);
    return { version: await versionOf(db, ref) };
  } finally {
    aborted?.removeEventListener('abort', close);
    close();
  }
}
