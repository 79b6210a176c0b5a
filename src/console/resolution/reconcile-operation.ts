import type { Prisma, PrismaClient } from '#prisma';
import {
  createCircuit,
  isProviderTrouble,
  type Reconciled,
  type ReconcileOptions,
  type Reconciler,
  readCircuit,
} from '#reconciliation/index.ts';
import { type Actor, actorOf, type NewAuditEntry, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { readStatus } from '../operation-status.ts';

/** The result for one of many operations that an operator reconciles at once. */
export type BulkResult =
  | Reconciled
  /** The provider was not asked. */
  | { readonly kind: 'skipped'; readonly why: 'missing' | 'not_unknown' | 'provider_paused' };

interface Services {
  readonly db: PrismaClient;
  readonly reconciler: Reconciler;
}

/** Reconciles one operation because an operator asked for it. */
export async function reconcileAsOperator(
  services: Services,
  actor: Actor,
  operationId: string,
  details: { readonly bulk?: string } = {},
): Promise<Reconciled> {
  return reconcileWithAudit(services, actor, operationId, {
    entryOf: (found) => ({ action: 'operation.reconcile', details: { ...found, ...details } }),
  });
}

/**
 * The verdict and the operator's audit entry are one commit. A check that changed nothing has no transaction, so its audit
 * entry is written afterwards.
 */
export async function reconcileWithAudit(
  { db, reconciler }: Services,
  actor: Actor,
  operationId: string,
  {
    entryOf,
    ...options
  }: Omit<ReconcileOptions, 'writes'> & { entryOf(found: Reconciled): Omit<NewAuditEntry, 'subject'> },
): Promise<Reconciled> {
  const subject = { type: 'operation', id: operationId };
  const write = (tx: Prisma.TransactionClient, found: Reconciled) =>
    writeAuditEntry(tx, actor, { ...entryOf(found), subject });
  const ref = { tenantId: actor.tenantId, id: operationId };
  const found = await reconciler.reconcile(ref, actorOf(actor), { ...options, writes: write });
  if (found.kind === 'still_unknown' || found.kind === 'nothing_to_do') await write(db, found);
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
  if (open || pausedUntil) return { kind: 'skipped', why: 'provider_paused' };
  const found = await reconcileAsOperator({ db, reconciler: rateLimitedReconciler }, actor, operationId, {
    bulk: bulkId,
  });
  const circuit = createCircuit(db, settings.provider);
  if (isProviderTrouble(found)) await circuit.failed();
  else if (found.kind !== 'nothing_to_do') await circuit.succeeded();
  return found;
}
