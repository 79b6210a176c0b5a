export { type Decision, decide, type Evidence, evidenceOf } from './decide.ts';
export type { Finding, Investigator } from './investigate.ts';
export { createPaymentInvestigator } from './investigate-payment.ts';
export { createRefundInvestigator } from './investigate-refund.ts';
export { createReconciler, type Reconciled, type Reconciler } from './reconcile.ts';
