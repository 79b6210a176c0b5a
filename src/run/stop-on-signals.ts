import type { Supervisor } from './supervisor.ts';

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
  return () => asked;
}
