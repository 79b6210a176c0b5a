import { SettingsError } from './env.ts';

/**
 * For the processes that are also started by hand. What only their operator can mend, which is a setting or a port, is said
 * on stderr without a stack, and the exit code is 1.
 */
export async function orExit<T>(start: () => Promise<T> | T): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const isPort = (error as NodeJS.ErrnoException).syscall === 'listen';
    if (!(error instanceof SettingsError) && !isPort) throw error;
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
