import { isCommand, succeeds } from './browser/command.ts';

const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

// Runs commands as root, or with sudo if that needs no password.
async function findPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  return (await succeeds('sudo', ['-n', 'true'], 10_000)) ? ['sudo', '-n'] : undefined;
}

// Returns a function that installs packages for the tests. Undefined: this machine has no apt, or this account may not use it.
export async function findApt(): Promise<((packages: string[]) => Promise<boolean>) | undefined> {
  if (!isCommand('apt-get')) return undefined;
  const prefix = await findPrefix();
  if (prefix === undefined) return undefined;
  const run = (args: string[], timeoutMs: number) => {
    const [command = '', ...rest] = [...prefix, 'apt-get', '-o', 'DPkg::Lock::Timeout=120', ...args];
    return succeeds(command, rest, timeoutMs, environment);
  };
  // The package lists of a container image are usually empty or outdated.
  await run(['update'], 120_000);
  return (packages) => run(['install', '-y', '--no-install-recommends', ...packages], 600_000);
}
