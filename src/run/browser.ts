import { existsSync } from 'node:fs';
import path from 'node:path';
import { works } from './browser/command.ts';
import { installWithApt } from './browser/debian.ts';
import { installWithPlaywright, playwrightBrowser } from './browser/playwright.ts';
import { unpackedBrowser, unpackWithApt } from './browser/unpacked.ts';
import { PlainError } from './plain-error.ts';

// The headless shell is the same Chromium without windows; the tests take two thirds of the time in it.
const names = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
];
const macApplications = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

function candidates(): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const onPath = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return [...onPath, ...macApplications, playwrightBrowser(), unpackedBrowser].filter((file) =>
    existsSync(file),
  );
}

// A file that exists may still not start: Ubuntu's /usr/bin/chromium is a stub for a snap, and Playwright's may lack libraries.
function findInstalled(): string | undefined {
  return candidates().find(works);
}

// In this order, until one has installed a browser that starts.
const installers = [installWithPlaywright, installWithApt, unpackWithApt];

export async function findBrowser(print: (line: string) => void): Promise<string> {
  const explicit = process.env.PAIDONCE_BROWSER;
  if (explicit) {
    if (works(explicit)) return explicit;
    throw new PlainError(`PAIDONCE_BROWSER names ${explicit}, which does not start.`);
  }
  const installed = findInstalled();
  if (installed !== undefined) return installed;
  for (const install of installers) {
    if (!(await install(print))) continue;
    const found = findInstalled();
    if (found !== undefined) return found;
  }
  throw new PlainError(
    'There is no Chromium or Chrome on this machine and none could be installed; install one, or set PAIDONCE_BROWSER to its path.',
  );
}
