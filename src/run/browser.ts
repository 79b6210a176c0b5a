import { existsSync } from 'node:fs';
import path from 'node:path';
import { works } from './browser/command.ts';
import { installWithApt } from './browser/debian.ts';
import { installWithPlaywright, playwrightBrowser } from './browser/playwright.ts';
import { unpackedBrowser, unpackWithApt } from './browser/unpacked.ts';
import { PlainError } from './plain-error.ts';

// The shell is the same Chromium without windows; the tests run in it in two thirds of the time.
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

// Being there is not enough: Ubuntu's /usr/bin/chromium is a stub for a snap, and Playwright's may lack libraries.
function findInstalled(): string | undefined {
  return candidates().find(works);
}

// Each way is tried only when the ones before it brought no browser that starts.
const waysToInstall = [installWithPlaywright, installWithApt, unpackWithApt];

export async function findBrowser(say: (line: string) => void): Promise<string> {
  const explicit = process.env.PAIDONCE_BROWSER;
  if (explicit) {
    if (works(explicit)) return explicit;
    throw new PlainError(`PAIDONCE_BROWSER names ${explicit}, which does not start.`);
  }
  const installed = findInstalled();
  if (installed !== undefined) return installed;
  for (const install of waysToInstall) {
    if (!(await install(say))) continue;
    const found = findInstalled();
    if (found !== undefined) return found;
  }
  throw new PlainError(
    'There is no Chromium or Chrome on this machine and none could be installed; install one, or set PAIDONCE_BROWSER to its path.',
  );
}
