import type { PrismaClient } from '#prisma';
import {
  createCircuit,
  isProviderTrouble,
  type Reconciled,
  type Reconciler,
  readCircuit,
} from '#reconciliation/index.ts';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { readStatus } from '../operation-status.ts';
import { actorOf } from './resolve.ts';

/** The result for one of many operations that an operator reconciles at once. */
export type BulkResult =
  | Reconciled
  /** The provider was not asked, and why not. */
  | { readonly kind: 'skipped'; readonly why: 'missing' | 'not_unknown' | 'provider_resting' };

/**
 * An operator has the provider asked now. The verdict and its entry in the audit log are one commit. A check that changed
 * nothing has no transaction of its own; the audit log still says that it was made.
 */
export async function reconcileByPerson(
  { db, reconciler }: { readonly db: PrismaClient; readonly reconciler: Reconciler },
  actor: Actor,
  operationId: string,
  details: { readonly bulk?: string } = {},
): Promise<Reconciled> {
  const entry = (found: Reconciled) => ({
    action: 'operation.reconcile',
    subject: { type: 'operation', id: operationId },
    details: { ...found, ...details },
  });
  const found = await reconciler.reconcile({ tenantId: actor.tenantId, id: operationId }, actorOf(actor), {
    writes: (tx, result) => writeAuditEntry(tx, actor, entry(result)),
  });
  if (found.kind === 'still_unknown' || found.kind === 'nothing_to_do')
    await writeAuditEntry(db, actor, entry(found));
  return found;
}

/**
 * One of many. Its requests are rate-limited, none is sent while the circuit is open or the provider has asked for a pause,
 * and their failures count towards the circuit of all workers. An operation that was resolved meanwhile is skipped.
 */
export async function reconcileOneOfMany(
  {
    db,
    rateLimitedReconciler,
    settings,
  }: {
    readonly db: PrismaClient;
    readonly rateLimitedReconciler: Reconciler;
    readonly settings: { readonly provider: string };
  },
  actor: Actor,
  operationId: string,
  bulkId: string,
): Promise<BulkResult> {
  const status = await readStatus(db, { tenantId: actor.tenantId, id: operationId });
  if (!status) return { kind: 'skipped', why: 'missing' };
  if (status !== 'unknown') return { kind: 'skipped', why: 'not_unknown' };
  // The worker finds out whether the provider is back, and then expedites all checks.
  const { open, pausedUntil } = await readCircuit(db, settings.provider);
  if (open || pausedUntil) return { kind: 'skipped', why: 'provider_resting' };
  const found = await reconcileByPerson({ db, reconciler: rateLimitedReconciler }, actor, operationId, {
    bulk: bulkId,
  });
  const circuit = createCircuit(db, settings.provider);
  if (isProviderTrouble(found)) await circuit.failed();
  else if (found.kind !== 'nothing_to_do') await circuit.succeeded();
  return found;
}
