/** Next calls this once in each process of the app, before the first request is served. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return;
  const [{ readEnv }, { createLog }, { receiveRequests }] = await Promise.all([
    import('#server/env.ts'),
    import('#server/observability/log.ts'),
    import('#server/incoming/receive-requests.ts'),
  ]);
  const settings = readEnv();
  const log = createLog('app', settings.LOG_LEVEL);
  receiveRequests(settings, (message) => log.warn(message));
}
