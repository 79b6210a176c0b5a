import { Prisma } from '#prisma';
import type { House } from '#server/services.ts';
import { eventTypes } from './operation-messages.ts';

/** What follows a settlement (receipts, webhooks, proposals) does not notify; this is how late a page may be with it. */
const atMostMs = 4_000;

/**
 * A name for everything the operation's page shows: when it changes, so has something there. Each part is a look into an
 * index, because the page asks every few seconds for as long as it is open.
 */
export async function versionOf(db: Prisma.TransactionClient, tenantId: string, id: string): Promise<string> {
  const [row] = await db.$queryRaw<{ version: string }[]>`
    SELECT md5(concat_ws('.',
      (SELECT max(e.id) FROM idempotency_event e WHERE e.record_id = r.id),
      r.reconcile_attempts, r.reconcile_after, r.escalated_at, r.expires_at,
      (SELECT max(c.id) FROM provider_call c WHERE c.operation_id = r.id),
      (SELECT sum(m.times) FROM key_misuse m WHERE m.record_id = r.id),
      (SELECT count(*) || '-' || count(v.decided_at) FROM verdict_proposal v WHERE v.operation_id = r.id),
      (SELECT count(*) || '-' || count(p.processed_at) FROM provider_event p WHERE p.operation_id = r.id),
      (SELECT max(a.id) FROM audit_entry a
        WHERE a.tenant_id = r.tenant_id AND a.subject_type = 'operation' AND a.subject_id = r.id::text),
      ${moneyVersion}, ${messagesVersion})) AS version
    FROM idempotency_record r
    LEFT JOIN refund f ON f.operation_id = r.id
    LEFT JOIN LATERAL (
      SELECT * FROM payment WHERE operation_id = r.id
      UNION ALL
      SELECT * FROM payment WHERE id = f.payment_id
      LIMIT 1) AS p ON true
    WHERE r.id = ${id}::uuid AND r.tenant_id = ${tenantId}`;
  return row?.version ?? 'gone';
}

/** What became of the money, of `p` and its refunds. */
const moneyVersion = Prisma.sql`
  p.status, p.decline_code, p.generation, p.refunded_minor, p.provider_intent_id, p.provider_charge_id,
  (SELECT max(l.id) FROM ledger_entry l WHERE l.payment_id = p.id),
  (SELECT string_agg(o.id || o.status, ',' ORDER BY o.id) FROM refund o WHERE o.payment_id = p.id),
  (SELECT string_agg(t.id || t.status, ',' ORDER BY t.id) FROM late_truth t WHERE t.payment_id = p.id)`;

/** Whom we told of it, and whether they were reached. */
const messagesVersion = Prisma.sql`
  (SELECT string_agg(o.id || coalesce(d.id || d.status, ''), ',' ORDER BY o.id, d.id)
    FROM outbox_event o LEFT JOIN merchant_webhook_delivery d ON d.event_id = o.id
    WHERE o.type = ANY(${eventTypes}) AND o.source_id = coalesce(f.id, p.id)),
  (SELECT string_agg(m.id || m.status, ',' ORDER BY m.id) FROM email m
    WHERE m.dedupe_key IN ('receipt:' || coalesce(f.id, p.id), 'refund:' || coalesce(f.id, p.id)))`;

/** Answers when there is something new, or when it is time to ask again. A settlement is told with its commit. */
export async function watchOperation(
  { db, signal }: Pick<House, 'db' | 'signal'>,
  tenantId: string,
  asked: { readonly operationId: string; readonly version: string | undefined },
  over: AbortSignal | undefined,
): Promise<{ readonly version: string }> {
  const { operationId } = asked;
  const watch = await signal.watch(operationId).catch(() => undefined);
  const close = () => watch?.close();
  over?.addEventListener('abort', close, { once: true });
  try {
    const version = await versionOf(db, tenantId, operationId);
    if (!watch || version !== asked.version || over?.aborted) return { version };
    await watch.changed(atMostMs).catch(() => undefined);
    return { version: await versionOf(db, tenantId, operationId) };
  } finally {
    over?.removeEventListener('abort', close);
    close();
  }
}
