import { spawn, spawnSync } from 'node:child_process';

export function works(browser: string): boolean {
  return spawnSync(browser, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

/** A browser that lacks some of its files says its version and does not open a page. */
export function opensPages(browser: string): boolean {
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', 'data:text/html,<p>opened</p>'];
  const { status, stdout } = spawnSync(browser, args, { encoding: 'utf8', timeout: 60_000 });
  return status === 0 && stdout.includes('<p>opened</p>');
}

export function isCommand(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0;
}

// The output is not shown: when an installer fails, the next one is tried.
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
