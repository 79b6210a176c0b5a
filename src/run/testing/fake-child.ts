import { spawn } from 'node:child_process';

// A process for the supervisor's tests. `failing` exits at once; `unresponsive` ignores SIGTERM and SIGINT; `parent` has a
// child that does. Any other mode is an ordinary process.
const [mode] = process.argv.slice(2);
setInterval(() => undefined, 60_000);
if (mode === 'failing') {
  // As Node prints an error with its stack and properties.
  process.stderr.write('the fake child exits on purpose\n    at a frame {\n  errno: -98\n}\n');
  process.exit(3);
}
if (mode === 'unresponsive')
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => undefined);
if (mode === 'parent') spawn(process.execPath, [import.meta.filename, 'unresponsive'], { stdio: 'ignore' });
process.send?.({ type: 'ready' });
