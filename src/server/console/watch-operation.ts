import type { Prisma } from '#prisma';
import type { House } from '../wiring.ts';

/** What follows a settlement (receipts, webhooks, proposals) does not notify; this is how late a page may be with it. */
const atMostMs = 4_000;

/** A name for everything the operation's page shows: when it changes, so has something there. */
export async function versionOf(db: Prisma.TransactionClient, tenantId: string, id: string): Promise<string> {
  const [row] = await db.$queryRaw<{ version: string }[]>`
    SELECT concat_ws('.',
      (SELECT max(e.id) FROM idempotency_event e WHERE e.record_id = r.id),
      r.reconcile_attempts,
      r.escalated_at IS NOT NULL,
      (SELECT max(c.id) FROM provider_call c WHERE c.operation_id = r.id),
      (SELECT sum(m.times) FROM key_misuse m WHERE m.record_id = r.id),
      (SELECT count(*) || '-' || count(v.decided_at) FROM verdict_proposal v WHERE v.operation_id = r.id),
      (SELECT count(*) || '-' || count(p.processed_at) FROM provider_event p WHERE p.operation_id = r.id),
      (SELECT max(a.id) FROM audit_entry a
        WHERE a.tenant_id = r.tenant_id AND a.subject_type = 'operation' AND a.subject_id = r.id::text)) AS version
    FROM idempotency_record r WHERE r.id = ${id}::uuid AND r.tenant_id = ${tenantId}`;
  return row?.version ?? 'gone';
}

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
