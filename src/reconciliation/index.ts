export { decide, type Evidence, evidenceOf, type ReconcileVerdict } from './decide.ts';
export { createReconciler, type Reconciled, type Reconciler } from './reconcile.ts';
