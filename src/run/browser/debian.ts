import { isCommand, succeeds } from './command.ts';

/** The first that the archive has is installed: not every release of Debian packages the headless shell separately. */
export const packages = ['chromium-headless-shell', 'chromium'] as const;

const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };

// Runs commands as root, or with sudo if that needs no password.
async function findPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  return (await succeeds('sudo', ['-n', 'true'], 10_000)) ? ['sudo', '-n'] : undefined;
}

export async function installWithApt(print: (line: string) => void): Promise<boolean> {
  if (!isCommand('apt-get')) return false;
  const prefix = await findPrefix();
  if (prefix === undefined) return false;
  print("Installing Debian's chromium for the browser tests…");
  const run = (args: string[], timeoutMs: number) => {
    const [command = '', ...rest] = [...prefix, 'apt-get', ...args];
    return succeeds(command, rest, timeoutMs, environment);
  };
  // The package lists of a container image are usually empty or outdated.
  await run(['update'], 120_000);
  for (const name of packages) {
    if (await run(['install', '-y', '--no-install-recommends', name, 'fonts-dejavu-core'], 600_000))
      return true;
  }
  return false;
}
