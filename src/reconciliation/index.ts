export { type Circuit, createCircuit, readCircuit } from './circuit.ts';
export { type Decision, decide, type Evidence, evidenceOf } from './decide.ts';
export { createDueWork, type DueEvent, type DueWork } from './due-work.ts';
export type { Finding, Investigator } from './investigate.ts';
export { createPaymentInvestigator } from './investigate-payment.ts';
export { createRefundInvestigator } from './investigate-refund.ts';
export { flagLateTruth } from './late-truth.ts';
export {
  enqueueProviderEvent,
  intentIdOf,
  processProviderEvent,
  providerEventTask,
  receiveProviderEvent,
  type VerifiedEvent,
} from './provider-events.ts';


export { purgeEventPayloads } from './purge-events.ts';


export { isProviderTrouble } from './provider-trouble.ts';


export { createRateLimit } from './rate-limit.ts';
export {
  createReconciler,
  type Reconciled,
  type ReconcileEvent,
  type Reconciler,
  type Ruling,
} from './reconcile.ts';
export { type LateRefund, refundLateTruth } from './refund-late-truth.ts';
export { scheduledChecks } from './schedule.ts';
export { digestOf, type Saying, type Sighting, sayings } from './sighting.ts';
export { createStatusReads } from './status-read.ts';
export { createVerdicts, type Examined, type Overruled, type Verdicts } from './verdicts.ts';
export { type Claim, claims, type Refusal, type Standing, weigh } from './weigh.ts';
export { startWorkLoop, type WorkLoop } from './work-loop.ts';
