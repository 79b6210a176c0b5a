import { createSandbox } from './sandbox.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/*
 * The process. It prints in one sentence why it cannot start, sends its parent a message when it is ready, and exits on a
 * signal or when its parent process is gone.
 */

// The supervisor waits this long. Everything that was acknowledged is in the database, so exiting early loses nothing.
const CLOSE_TIMEOUT_MS = 2_000;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const sandbox = createSandbox(settings);
  let shuttingDown = false;
  const shutDown = () => {
    if (shuttingDown) return;
    shuttingDown = true;
    setTimeout(() => process.exit(0), CLOSE_TIMEOUT_MS).unref();
    sandbox.close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', shutDown);
  process.once('SIGINT', shutDown);
  process.once('disconnect', shutDown);

  try {
    const url = await sandbox.listen();
    process.send?.({ type: 'ready', url });
  } catch (error) {
    // A signal that arrives during the start is not a failure to start.
    if (!shuttingDown) throw new SettingsError(explain(error, settings), { cause: error });
  }
}

function explain(error: unknown, settings: Settings): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE')
    return `The sandbox cannot listen on ${settings.host}:${settings.port}: the port is taken.`;
  if (code === 'EADDRNOTAVAIL' || code === 'EACCES') {
    return `The sandbox cannot listen on ${settings.host}:${settings.port} (${code}).`;
  }
  const { host } = new URL(settings.databaseUrl);
  const reason = code || (error instanceof Error ? error.message : String(error));
  return `The sandbox cannot use its database at ${host} (${reason}).`;
}

main().catch((error: unknown) => {
  const sentence =
    error instanceof SettingsError ? error.message : `The sandbox failed to start: ${String(error)}`;
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
});
