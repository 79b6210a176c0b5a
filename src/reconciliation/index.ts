export { createCircuit, readCircuit } from './circuit.ts';
export { createDueWork, type DueEvent, holdOf } from './due-work.ts';
export { createPaymentInvestigator } from '#payments/operations/create-payment/investigate.ts';
export { createRefundInvestigator } from '#payments/operations/create-refund/investigate.ts';
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
export { isBooked, refundLateTruth } from './refund-exception.ts';
export { pauseAfter, scheduledChecks } from './schedule.ts';
export type { Saying, Sighting } from './provider-snapshot.ts';
export { createStatusReads } from './status-read.ts';
export { createVerdicts, type Examined, type Overruled } from './override.ts';
export { type Claim, claims, type Refusal } from './assess.ts';
export { startWorkLoop } from './work-loop.ts';
