import { readFileSync, writeFileSync } from 'node:fs';
import { inCheckout } from './checkout.ts';
import { completeLockfile, findMissingBuilds, type Lockfile } from './lockfile.ts';
import { print, runCommand } from './terminal.ts';

const help = `Usage: npm run lockfile

Run it after "npm install": adds to package-lock.json the builds for other platforms that the registry did not have.`;

await runCommand(help, async () => {
  const file = inCheckout('package-lock.json');
  const lockfile = JSON.parse(readFileSync(file, 'utf8')) as Lockfile;
  const missing = findMissingBuilds(lockfile);
  if (missing.length > 0) writeFileSync(file, `${JSON.stringify(completeLockfile(lockfile), null, 2)}\n`);
  print(
    missing.length > 0 ? `Added ${missing.length} builds for other platforms.` : 'The lockfile is complete.',
  );
});
