import { spawn } from 'node:child_process';
import { inCheckout } from './checkout.ts';
import { identifyProcess, type ProcessIdentity } from './process-table.ts';

export type Guardian = {
  identity: ProcessIdentity | undefined;
  gone: Promise<void>;
  release(): Promise<void>;
};

export function startGuardian(runFile: string, removeOnDeath?: string): Guardian {
  const supervisor = identifyProcess(process.pid)?.startedAt ?? '';
  const program = inCheckout('src', 'run', 'guardian.ts');
  const args = [program, runFile, supervisor, ...(removeOnDeath ? [removeOnDeath] : [])];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // In a process group of its own, because the supervisor's may be killed as a whole.
    detached: true,
  });
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  child.channel?.unref();
  return {
    identity: child.pid === undefined ? undefined : identifyProcess(child.pid),
    gone,
    release: async () => {
      child.ref();
      // The channel is closed if the guardian was killed; then there is no process to release.
      if (child.connected) child.send('released', () => undefined);
      await gone;
    },
  };
}
