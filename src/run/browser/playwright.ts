import { chromium } from 'playwright';
import { inCheckout } from '#run/checkout.ts';
import { succeeds } from './command.ts';

// Nearly two hundred megabytes on a slow connection; whether there is a connection at all is checked before.
const downloadMs = 300_000;

export function playwrightBrowser(): string {
  return chromium.executablePath();
}

// The installer itself takes minutes to find out that it cannot reach its servers.
async function isReachable(): Promise<boolean> {
  const server = process.env.PLAYWRIGHT_DOWNLOAD_HOST ?? 'https://cdn.playwright.dev';
  const response = await fetch(server, { method: 'HEAD', signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  return response !== undefined && response.status < 500;
}

export async function installWithPlaywright(say: (line: string) => void): Promise<boolean> {
  if (!(await isReachable())) return false;
  say('Downloading a browser for the tests…');
  // With its dependencies only as root: otherwise Playwright would ask for a password.
  const withDependencies = process.getuid?.() === 0 ? ['--with-deps'] : [];
  const command = inCheckout('node_modules', 'playwright', 'cli.js');
  return succeeds(process.execPath, [command, 'install', ...withDependencies, 'chromium'], downloadMs);
}
