import { createSandbox } from './sandbox.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';

/*
 * The process. It prints in one sentence why it cannot start, sends its parent a message when it is ready, and exits on a
 * signal or when its parent is gone.
 */

// What the supervisor waits. Everything acknowledged is in the database, so exiting early loses nothing.
const LONGEST_CLOSE_MS = 2_000;

async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const sandbox = createSandbox(settings);
  let leaving = false;
  const leave = () => {
    if (leaving) return;
    leaving = true;
    setTimeout(() => process.exit(0), LONGEST_CLOSE_MS).unref();
    sandbox.close().finally(() => process.exit(0));
  };
  process.once('SIGTERM', leave);
  process.once('SIGINT', leave);
  process.once('disconnect', leave);

  try {
    const url = await sandbox.listen();
    process.send?.({ type: 'ready', url });
  } catch (error) {
    // Being stopped halfway through starting is not a failure to start.
    if (!leaving) throw new SettingsError(explain(error, settings), { cause: error });
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
