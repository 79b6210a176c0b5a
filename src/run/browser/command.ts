import { spawn, spawnSync } from 'node:child_process';

export function works(browser: string): boolean {
  return spawnSync(browser, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

export function isCommand(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

// An installer's output only matters when it fails, and then the next way is tried; so it is not shown.
export function succeeds(
  command: string,
  args: string[],
  timeoutMs: number,
  env: NodeJS.ProcessEnv = process.env,
) {
  return new Promise<boolean>((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', timeout: timeoutMs, env });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
