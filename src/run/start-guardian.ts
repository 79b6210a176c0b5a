import { spawn } from 'node:child_process';
import { inCheckout } from './checkout.ts';
import { markProcess, type ProcessMark } from './process-table.ts';

export type Guardian = { mark: ProcessMark | undefined; gone: Promise<void>; release(): Promise<void> };

export function startGuardian(runFile: string, removeOnDeath?: string): Guardian {
  const args = [inCheckout('src', 'run', 'guardian.ts'), runFile, ...(removeOnDeath ? [removeOnDeath] : [])];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Outside our process group, which may be killed as a whole.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  child.channel?.unref();
  return {
    mark: child.pid === undefined ? undefined : markProcess(child.pid),
    gone,
    release: async () => {
      child.ref();
      // The channel is broken when the guardian was killed; then there is no process left to release.
      if (child.connected) child.send('released', () => undefined);
      await gone;
    },
  };
}
