export { createCircuit, readCircuit } from './circuit.ts';
export { type Compared, type ComparisonParts, compareIfReplaced } from './compare-provider.ts';
export { openGap, skipGap } from './database-gap.ts';
export { checkHoldMs, createDueWork, type DueEvent, type DueWork } from './due-work.ts';
export { createEventListing, type EventListParts } from './list-events.ts';
export { type Assertions, createAssertions, type Examined, type OverrideResult } from './override.ts';
export { enqueueProviderEvent, processProviderEvent, providerEventTask } from './provider-events.ts';
export { isProviderTrouble } from './provider-trouble.ts';
export { purgeEventPayloads } from './purge-events.ts';
export { createRateLimit, rateLimited } from './rate-limit.ts';
export { createEventReceiver, type Received, type VerifiedEvent } from './receive-events.ts';
export {
  createReconciler,
  type Reconciled,
  type ReconcileEvent,
  type ReconcileOptions,
  type Reconciler,
} from './reconcile.ts';
export { createStatusReads } from './status-read.ts';
export { verifyAssertion, verifyAssertionTask } from './verify-assertion.ts';
