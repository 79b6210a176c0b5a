import type { Supervisor } from './supervisor.ts';

// The user of `npm start` kills npm's process, so its death must stop this one too. No signal reports it, but the parent
// pid of an orphan changes.
function onParentDeath(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

// Ctrl-C, `kill` and a closed terminal all stop the processes. A second signal changes nothing, because the stop is under way.
export function stopOnSignals(supervisor: Supervisor, print: (line: string) => void): () => boolean {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    print('\nStopping…');
    void supervisor.stop().then(() => print('Stopped.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event !== undefined) onParentDeath(stop);
  return () => stopping;
}
