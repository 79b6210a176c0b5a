import { createCircuit, isProviderTrouble, type Reconciled, readCircuit } from '#reconciliation/index.ts';
import type { House } from '#server/services.ts';
import { type Actor, recordDeed } from '../audit/write-audit-entry.ts';
import { actorOf } from './resolve.ts';

/** What became of one of many that a person asked about at once. */
export type BulkResult =
  | Reconciled
  /** Not asked about, and why not. */
  | { readonly kind: 'skipped'; readonly why: 'missing' | 'not_unknown' | 'provider_resting' };

/**
 * Somebody has the provider asked now. A verdict and the line in the log that says whose doing it was are one commit;
 * what changed nothing has no transaction of its own, and that it was tried is still worth knowing.
 */
export async function reconcileByPerson(
  { db, reconciler }: Pick<House, 'db' | 'reconciler'>,
  actor: Actor,
  operationId: string,
  details: { readonly bulk?: string } = {},
): Promise<Reconciled> {
  const deed = (found: Reconciled) => ({
    action: 'operation.reconcile',
    subject: { type: 'operation', id: operationId },
    details: { ...found, ...details },
  });
  const found = await reconciler.reconcile(operationId, actorOf(actor), {
    writes: (tx, told) => recordDeed(tx, actor, deed(told)),
  });
  if (found.kind === 'still_unknown' || found.kind === 'nothing_to_do')
    await recordDeed(db, actor, deed(found));
  return found;
}

/**
 * One of many. A person's patience is no licence to trample: its questions take their turns within what the provider
 * allows, none is asked while the provider is being given time, and what they find out about the provider is told to all
 * workers. What somebody else settled meanwhile is left alone.
 */
export async function reconcileOneOfMany(
  { db, patientReconciler, settings }: Pick<House, 'db' | 'patientReconciler' | 'settings'>,
  actor: Actor,
  operationId: string,
  bulkId: string,
): Promise<BulkResult> {
  const record = await db.idempotencyRecord.findFirst({
    where: { id: operationId, tenantId: actor.tenantId },
    select: { status: true },
  });
  if (!record) return { kind: 'skipped', why: 'missing' };
  if (record.status !== 'unknown') return { kind: 'skipped', why: 'not_unknown' };
  // The one question that finds out whether the provider is back is the worker's, who hurries everything after it.
  const { open, pausedUntil } = await readCircuit(db, settings.provider);
  if (open || pausedUntil) return { kind: 'skipped', why: 'provider_resting' };
  const found = await reconcileByPerson({ db, reconciler: patientReconciler }, actor, operationId, {
    bulk: bulkId,
  });
  const circuit = createCircuit(db, settings.provider);
  if (isProviderTrouble(found)) await circuit.failed();
  else if (found.kind !== 'nothing_to_do') await circuit.succeeded();
  return found;
}
