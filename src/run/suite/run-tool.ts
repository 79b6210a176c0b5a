import { spawn } from 'node:child_process';
import os from 'node:os';
import { checkout } from '#run/checkout.ts';

let interrupted = false;

// Ctrl-C reaches the tool as well as this process, which waits until the tool has cleaned up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interrupted = true;
  });
}

export function wasInterrupted(): boolean {
  return interrupted;
}

export type ToolResult = { ok: boolean };

/** In the background a tool prints nothing, and gets what the others leave of the processors. */
export function runTool(
  script: string,
  args: string[],
  env: Record<string, string> = {},
  { background = false } = {},
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const tool = spawn(process.execPath, [script, ...args], {
      cwd: checkout,
      // No colour codes in a file or a pipe.
      env: {
        ...process.env,
        ...(process.stdout.isTTY !== true && { NO_COLOR: '1', FORCE_COLOR: '0' }),
        ...env,
      },
      stdio: background ? 'ignore' : ['ignore', 'inherit', 'inherit'],
    });
    if (background && tool.pid !== undefined)
      os.setPriority(tool.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
    // Unlike Ctrl-C, a SIGTERM to this process does not reach the tool, so it is forwarded.
    const forward = () => tool.kill('SIGTERM');
    process.on('SIGTERM', forward);
    tool.once('error', () => resolve({ ok: false }));
    tool.once('exit', (code) => {
      process.off('SIGTERM', forward);
      resolve({ ok: code === 0 });
    });
  });
}
