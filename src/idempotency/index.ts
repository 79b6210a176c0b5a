/**
 * The engine without the adapters, the stores and the React hook: those are imported by their own paths, so that an
 * application loads tRPC, Prisma or React only if it uses them.
 */
export { pauseAfter, scheduledChecks } from './check-schedule.ts';
export { createEngine, type Engine, type EngineOptions } from './engine.ts';
export type { EngineEvent, EngineObserver } from './events.ts';
export { defaultFingerprints, type FingerprintVersions, sha256OfCanonicalJson } from './fingerprint.ts';
export { checkKey, type KeyResult, keyRules, readKeyHeader } from './key.ts';
export type { KeySource } from './key-source.ts';
export {
  type CheckSchedule,
  type ConcurrentRequestPolicy,
  type EffectState,
  type Execution,
  type Handler,
  type OperationDefinition,
  type OperationRequest,
  Superseded,
  type Verdict,
} from './operation.ts';
export { derivedUuid, operationRefOf } from './operation-id.ts';
export type { Outcome } from './outcome.ts';
export {
  type ChangeSignal,
  type CheckQueue,
  type IdempotencyStore,
  type Misuse,
  operationTopic,
  type ResponseCipher,
  ResponseUnreadable,
  type Retention,
  type RetentionStep,
  RolledBack,
  StoreUnavailable,
  type TenantPolicy,
  type Transition,
  type TransitionReason,
} from './ports.ts';
export { defineProblems, idempotencyProblems, type Problem, type ProblemSpec } from './problems.ts';
export { reap } from './reaper.ts';
export {
  lastRecoveryPoint,
  type OperationRecord,
  type OperationRef,
  type OperationResponse,
  type Resource,
  type Status,
  statuses,
} from './record.ts';
export { readBody } from './response-body.ts';
export { type CipherKey, createResponseCipher } from './response-cipher.ts';
export { type DomainWrites, type RowStatement, type RowWrite, rowWrite } from './row-statement.ts';
