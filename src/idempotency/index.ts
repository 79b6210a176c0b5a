export { createEngine, type Engine, type EngineParts, type OperationRequest } from './engine.ts';
export { defaultFingerprints, type FingerprintVersions, sha256OfCanonicalJson } from './fingerprint.ts';
export { checkKey, type KeyResult, keyRules, readKeyHeader } from './key.ts';
export type { KeySource } from './key-source.ts';
export {
  type Execution,
  type Handler,
  type OperationDefinition,
  Superseded,
  type Verdict,
  type WhileRunning,
} from './operation.ts';
export type { Outcome } from './outcome.ts';
export {
  type Because,
  type ChangeSignal,
  type CheckQueue,
  type EngineEvent,
  type EngineObserver,
  type IdempotencyStore,
  type Misuse,
  type Move,
  operationTopic,
  type Reaping,
  type ResponseCipher,
  type Retention,
  StoreUnavailable,
  type TenantPolicy,
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
export { type CipherKey, createResponseCipher } from './response-cipher.ts';
