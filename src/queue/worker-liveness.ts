/** How often a worker writes its heartbeat: the row in `worker_heartbeat` that shows that it is alive. */
export const heartbeatMs = 5_000;
/** A worker whose last heartbeat is older counts as dead: one missed heartbeat may be a pause, three are not. */
export const heartbeatTimeoutMs = 3 * heartbeatMs;
