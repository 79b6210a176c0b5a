export { addJob } from './add-job.ts';
export { heartbeatMs, heartbeatTimeoutMs } from './worker-liveness.ts';
