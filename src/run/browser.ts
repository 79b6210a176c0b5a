import { existsSync } from 'node:fs';
import path from 'node:path';
import { works } from './browser/command.ts';
import { installWithApt } from './browser/debian.ts';
import {
  downloadWithPlaywright,
  installWithPlaywright,
  playwrightBrowser,
  playwrightShells,
} from './browser/playwright.ts';
import { unpackedBrowser, unpackShell, unpackWithApt } from './browser/unpacked.ts';
import { PlainError } from './plain-error.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
const macApplications = ['Google Chrome', 'Chromium'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);

function onPath(name: string): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.map((folder) => path.join(folder, name));
}

// The headless shell is the same Chromium without windows. A page takes half the processor time in it.
const listShells = () => [...onPath('chromium-headless-shell'), ...playwrightShells(), unpackedBrowser];
const listBrowsers = () => [...names.flatMap(onPath), ...macApplications, playwrightBrowser()];

// A file that exists may still not start: Ubuntu's /usr/bin/chromium is a stub for a snap, and Playwright's may lack libraries.
function findWorking(candidates: string[]): string | undefined {
  return candidates.filter((file) => existsSync(file)).find(works);
}

type Installer = (print: (line: string) => void) => Promise<boolean>;

// In this order, until one has installed a browser that starts. A machine with a whole Chromium gets a headless shell only if
// that changes nothing outside the checkout and Playwright's own folder.
const installers: Installer[] = [installWithPlaywright, installWithApt, unpackWithApt];
const shellInstallers: Installer[] = [downloadWithPlaywright, unpackShell];

export async function findBrowser(print: (line: string) => void): Promise<string> {
  const explicit = process.env.PAIDONCE_BROWSER;
  if (explicit) {
    if (works(explicit)) return explicit;
    throw new PlainError(`PAIDONCE_BROWSER names ${explicit}, which does not start.`);
  }
  const shell = findWorking(listShells());
  if (shell !== undefined) return shell;
  const whole = findWorking(listBrowsers());
  for (const install of whole === undefined ? installers : shellInstallers) {
    if (!(await install(print))) continue;
    const found = findWorking(whole === undefined ? [...listShells(), ...listBrowsers()] : listShells());
    if (found !== undefined) return found;
  }
  if (whole !== undefined) return whole;
  throw new PlainError(
    'There is no Chromium or Chrome on this machine and none could be installed; install one, or set PAIDONCE_BROWSER to its path.',
  );
}
