import { spawn } from 'node:child_process';
import { checkout } from '#run/checkout.ts';

let interrupted = false;

// Ctrl-C reaches the tool as well as us; it cleans up, and we wait for it before we go.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
  });
}

export function wasInterrupted(): boolean {
  return interrupted;
}

export type ToolResult = { ok: boolean };

export function runTool(
  script: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const tool = spawn(process.execPath, [script, ...args], {
      cwd: checkout,
      // Colour codes in a file or a pipeline are noise.
      env: {
        ...process.env,
        ...(process.stdout.isTTY !== true && { NO_COLOR: '1', FORCE_COLOR: '0' }),
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    // A `kill` of ours alone is passed on; npm and terminals do that only for Ctrl-C.
    const passOn = () => tool.kill('SIGTERM');
    process.on('SIGTERM', passOn);
    tool.once('error', () => resolve({ ok: false }));
    tool.once('exit', (code) => {
      process.off('SIGTERM', passOn);
      resolve({ ok: code === 0 });
    });
  });
}
