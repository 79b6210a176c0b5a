export { createCircuit, readCircuit } from './circuit.ts';
export { createDueWork, type DueEvent, holdOf } from './due-work.ts';
export { createPaymentInvestigator } from './investigate-payment.ts';
export { createRefundInvestigator } from './investigate-refund.ts';
export {
  enqueueProviderEvent,
  processProviderEvent,
  providerEventTask,
  receiveProviderEvent,
} from './provider-events.ts';
export { isProviderTrouble } from './provider-trouble.ts';
export { purgeEventPayloads } from './purge-events.ts';

export { createRateLimit, inTurn } from './rate-limit.ts';
export { createReconciler, type Reconciled, type ReconcileEvent } from './reconcile.ts';
export { isBooked, refundLateTruth } from './refund-late-truth.ts';
export { pauseAfter, scheduledChecks } from './schedule.ts';
export type { Saying, Sighting } from './sighting.ts';
export { createStatusReads } from './status-read.ts';
export { createVerdicts, type Examined, type Overruled } from './verdicts.ts';
export { type Claim, claims, type Refusal } from './weigh.ts';
export { startWorkLoop } from './work-loop.ts';
