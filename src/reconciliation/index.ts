export { createCircuit, readCircuit } from './circuit.ts';
export { checkHoldMs, createDueWork, type DueEvent, type DueWork } from './due-work.ts';
export { type Assertions, createAssertions, type Examined, type OverrideResult } from './override.ts';
export {
  enqueueProviderEvent,
  processProviderEvent,
  providerEventTask,
  receiveProviderEvent,
} from './provider-events.ts';
export { isProviderTrouble } from './provider-trouble.ts';
export { purgeEventPayloads } from './purge-events.ts';
export { createRateLimit, rateLimited } from './rate-limit.ts';
export { createReconciler, type Reconciled, type ReconcileEvent, type Reconciler } from './reconcile.ts';
export { pauseAfter, scheduledChecks } from './schedule.ts';
export { createStatusReads } from './status-read.ts';
export { startWorkLoop } from './work-loop.ts';
