import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { inCheckout } from '#run/checkout.ts';
import { isCommand, opensPages, succeeds } from './command.ts';
import { packages as names } from './debian.ts';

// Debian's packages can be downloaded and unpacked without root; only installing them needs it. So an ordinary user gets a
// Chromium below node_modules, together with the libraries that the machine lacks.
const home = inCheckout('node_modules', '.cache', 'paidonce', 'chromium');

export const unpackedBrowser = path.join(home, 'start');

// apt uses directories of its own, but the machine's list of installed packages.
function aptOptions(directory: string): string[] {
  const settings = {
    'Dir::State': path.join(directory, 'state'),
    'Dir::State::lists': path.join(directory, 'lists'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': directory,
    'Dir::Cache::archives': path.join(directory, 'archives'),
    'Debug::NoLocking': '1',
    // A machine without a network learns it soon.
    'Acquire::Retries': '0',
    'Acquire::http::Timeout': '10',
    'Acquire::https::Timeout': '10',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

async function download(directory: string, name: string): Promise<string[]> {
  for (const folder of ['state', 'lists/partial', 'archives/partial']) {
    mkdirSync(path.join(directory, folder), { recursive: true });
  }
  const options = aptOptions(directory);
  const wanted = ['install', '--download-only', '-y', '--no-install-recommends', name, 'fonts-dejavu-core'];
  if (!(await succeeds('apt-get', [...options, 'update'], 120_000))) return [];
  if (!(await succeeds('apt-get', [...options, ...wanted], 600_000))) return [];
  const archives = path.join(directory, 'archives');
  return readdirSync(archives)
    .filter((file) => file.endsWith('.deb'))
    .map((file) => path.join(archives, file));
}

function listLibraryFolders(root: string): string[] {
  return ['usr/lib', 'lib']
    .map((folder) => path.join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => [
      ...readdirSync(folder)
        .filter((name) => name.endsWith('-linux-gnu'))
        .flatMap((name) => [path.join(folder, name), path.join(folder, name, 'pulseaudio')]),
    ]);
}

function writeStarter(directory: string, name: string): void {
  const root = path.join(home, 'root');
  const libraries = listLibraryFolders(path.join(directory, 'root')).map((folder) =>
    folder.replace(directory, home),
  );
  const fonts = `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>/usr/share/fonts</dir><dir>${root}/usr/share/fonts</dir><cachedir>${home}/font-cache</cachedir></fontconfig>
`;
  writeFileSync(path.join(directory, 'fonts.conf'), fonts);
  const starter = `#!/bin/sh
export LD_LIBRARY_PATH="${libraries.join(':')}"
export FONTCONFIG_FILE="${home}/fonts.conf"
exec "${root}/usr/lib/chromium/${name}" "$@"
`;
  writeFileSync(path.join(directory, 'start'), starter);
  chmodSync(path.join(directory, 'start'), 0o755);
}

/** The first of the packages that can be had; by default a whole Chromium when there is no headless shell. */
export async function unpackWithApt(
  print: (line: string) => void,
  wanted: readonly string[] = names,
): Promise<boolean> {
  if (!isCommand('apt-get') || !isCommand('dpkg-deb')) return false;
  print("Unpacking Debian's chromium below node_modules/.cache for the browser tests…");
  for (const name of wanted) if (await unpack(name)) return true;
  return false;
}

/** The headless shell for a machine that has a whole Chromium. Only Debian's is packaged together with one. */
export async function unpackShell(print: (line: string) => void): Promise<boolean> {
  return existsSync(path.join(installed, 'chromium')) && unpackWithApt(print, ['chromium-headless-shell']);
}

async function unpack(name: string): Promise<boolean> {
  const partial = `${home}.partial`;
  rmSync(partial, { recursive: true, force: true });
  const packages = await download(partial, name);
  const root = path.join(partial, 'root');
  for (const file of packages) if (spawnSync('dpkg-deb', ['-x', file, root]).status !== 0) return false;
  const unpacked = path.join(root, 'usr', 'lib', 'chromium');
  // apt downloads nothing for a package that is installed; then the installed one does not start.
  if (!existsSync(path.join(unpacked, name))) return false;
  addInstalledFiles(unpacked);
  for (const folder of ['archives', 'lists', 'state'])
    rmSync(path.join(partial, folder), { recursive: true });
  writeStarter(partial, name);
  rmSync(home, { recursive: true, force: true });
  renameSync(partial, home);
  if (opensPages(unpackedBrowser)) return true;
  rmSync(home, { recursive: true, force: true });
  return false;
}

const installed = '/usr/lib/chromium';

/**
 * The files that all of Debian's browsers share are in a package of their own. apt does not download it when it is installed in
 * the same version. They are copied, because they must stay in that version when the machine's Chromium is upgraded.
 */
function addInstalledFiles(unpacked: string): void {
  if (existsSync(path.join(unpacked, 'icudtl.dat'))) return;
  const browser = path.join(installed, 'chromium');
  cpSync(installed, unpacked, { recursive: true, force: false, filter: (file) => file !== browser });
}
