import { chromium } from 'playwright';
import { inCheckout } from '#run/checkout.ts';
import { succeeds } from './command.ts';

// Enough for nearly two hundred megabytes on a slow connection.
const downloadMs = 300_000;

export function playwrightBrowser(): string {
  return chromium.executablePath();
}

// The installer needs minutes to notice that it cannot reach its servers, so this checks before.
async function isReachable(): Promise<boolean> {
  const server = process.env.PLAYWRIGHT_DOWNLOAD_HOST ?? 'https://cdn.playwright.dev';
  const response = await fetch(server, { method: 'HEAD', signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  return response !== undefined && response.status < 500;
}

export async function installWithPlaywright(print: (line: string) => void): Promise<boolean> {
  if (!(await isReachable())) return false;
  print('Downloading a browser for the tests…');
  // Dependencies are installed only as root: otherwise Playwright would prompt for a password.
  const withDependencies = process.getuid?.() === 0 ? ['--with-deps'] : [];
  const command = inCheckout('node_modules', 'playwright', 'cli.js');
  return succeeds(process.execPath, [command, 'install', ...withDependencies, 'chromium'], downloadMs);
}
