import { spawn } from 'node:child_process';

// A process for the supervisor's tests. `stubborn` ignores SIGTERM and SIGINT; `parent` has a child that does.
const [mode] = process.argv.slice(2);
setInterval(() => undefined, 60_000);
if (mode === 'dead') {
  process.stderr.write('the fake child has nothing to live for\n');
  process.exit(3);
}
if (mode === 'stubborn')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
if (mode === 'parent') spawn(process.execPath, [import.meta.filename, 'stubborn'], { stdio: 'ignore' });
process.send?.({ type: 'ready' });
