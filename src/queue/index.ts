export { addJob, addJobSql, addJobs } from './add-job.ts';
export { heartbeatMs, heartbeatTimeoutMs } from './worker-liveness.ts';
