import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { inCheckout } from '#run/checkout.ts';
import { succeeds } from './command.ts';

// Enough for nearly two hundred megabytes on a slow connection.
const downloadMs = 300_000;

export function playwrightBrowser(): string {
  return chromium.executablePath();
}

const shellName = /^(chrome-)?headless[-_]shell(\.exe)?$/;

/** Playwright says only where its whole browser is; the folder of the headless shell stands beside that, with the same number. */
export function playwrightShells(browser = playwrightBrowser()): string[] {
  const found = /^(.*[\\/])chromium-(\d+)[\\/]/.exec(browser);
  const folder = found && `${found[1]}chromium_headless_shell-${found[2]}`;
  if (!folder || !existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && shellName.test(file.name))
    .map((file) => path.join(file.parentPath, file.name));
}

// The installer needs minutes to notice that it cannot reach its servers, so this checks before.
async function isReachable(): Promise<boolean> {
  const server = process.env.PLAYWRIGHT_DOWNLOAD_HOST ?? 'https://cdn.playwright.dev';
  const response = await fetch(server, { method: 'HEAD', signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  return response !== undefined && response.status < 500;
}

export async function downloadWithPlaywright(
  print: (line: string) => void,
  options: string[] = [],
): Promise<boolean> {
  if (!(await isReachable())) return false;
  print('Downloading a browser for the tests…');
  const command = inCheckout('node_modules', 'playwright', 'cli.js');
  const args = ['install', ...options, '--only-shell', 'chromium'];
  return succeeds(process.execPath, [command, ...args], downloadMs);
}

export async function installWithPlaywright(print: (line: string) => void): Promise<boolean> {
  // The libraries that it needs are installed only as root: otherwise Playwright would prompt for a password.
  return downloadWithPlaywright(print, process.getuid?.() === 0 ? ['--with-deps'] : []);
}
