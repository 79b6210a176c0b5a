export { addJob, addJobSql } from './add-job.ts';
export { heartbeatMs, heartbeatTimeoutMs } from './worker-liveness.ts';
