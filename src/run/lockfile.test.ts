import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inCheckout } from './checkout.ts';
import { completeLockfile, findMissingBuilds, type Lockfile } from './lockfile.ts';

const committed = JSON.parse(readFileSync(inCheckout('package-lock.json'), 'utf8')) as Lockfile;

test('package-lock.json is complete, so that npm ci accepts it: otherwise run "npm run lockfile"', () => {
  expect(findMissingBuilds(committed).map(({ name }) => name)).toEqual([]);
});

test('package-lock.json names no registry, so that each user may use their own', () => {
  const bound = Object.entries(committed.packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(bound.map(([name]) => name)).toEqual([]);
});

test('a missing build gets its version from its parent and its platform from its name', () => {
  const optionalDependencies = {
    'x-linux-x64-musl': '1.2.3',
    'x-linux-arm-gnueabihf': '1.2.3',
    'x-darwin-arm64': '1.2.3',
  };
  const completed = completeLockfile({
    packages: { 'node_modules/x': { version: '1.2.3', optionalDependencies } },
  });
  expect(completed.packages).toMatchObject({
    'node_modules/x-linux-x64-musl': {
      version: '1.2.3',
      os: ['linux'],
      cpu: ['x64'],
      libc: ['musl'],
      optional: true,
    },
    'node_modules/x-linux-arm-gnueabihf': { os: ['linux'], cpu: ['arm'], libc: ['glibc'] },
    'node_modules/x-darwin-arm64': { os: ['darwin'], cpu: ['arm64'] },
  });
  expect(findMissingBuilds(completed)).toEqual([]);
});
