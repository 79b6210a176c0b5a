import type { Supervisor } from './supervisor.ts';

// The user of `npm start` knows npm's process, not ours: when that one is killed, we stop. There is no signal for it, but
// an orphan is given another parent.
function onParentDeath(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

// Ctrl-C, `kill` and a closed terminal all mean the same. A second signal changes nothing: the stop is already under way.
export function stopOnSignals(supervisor: Supervisor, say: (line: string) => void): () => boolean {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    say('\nStopping…');
    void supervisor.stop().then(() => say('Stopped.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event !== undefined) onParentDeath(stop);
  return () => stopping;
}
