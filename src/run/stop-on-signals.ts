import type { Supervisor } from './supervisor.ts';

// Whoever runs `npm start` knows npm's process, not ours: when that one is killed, we are meant. There is no signal for
// it, but an orphan is given another parent.
function onParentDeath(stop: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 500);
  timer.unref();
}

// Ctrl-C, `kill` and a closed terminal all mean the same. Impatience changes nothing: whoever asks twice finds the stop
// already under way.
export function stopOnSignals(supervisor: Supervisor, say: (line: string) => void): () => boolean {
  let asked = false;
  const stop = () => {
    if (asked) return;
    asked = true;
    say('\nStopping…');
    void supervisor.stop().then(() => say('Stopped.'));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  if (process.env.npm_lifecycle_event !== undefined) onParentDeath(stop);
  return () => asked;
}
