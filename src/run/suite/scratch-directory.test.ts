import { expect, test } from 'vitest';
import { hasMemoryForFiles } from './scratch-directory.ts';

const gigabyte = 1024 ** 3;
const large = {
  platform: 'linux',
  temporaryDirectory: undefined,
  freeMemory: 12 * gigabyte,
  statMemoryFiles: () => ({ type: 0x01021994, free: 12 * gigabyte }),
};

test('temporary files are in memory where there is enough of it', () => {
  expect(hasMemoryForFiles(large)).toBe(true);
});

test.each([
  ['on another system', { platform: 'darwin' }],
  ['when TMPDIR names a place', { temporaryDirectory: '/var/tmp' }],
  ['when little memory is free', { freeMemory: 4 * gigabyte }],
  [
    'in a container, where /dev/shm is small',
    { statMemoryFiles: () => ({ type: 0x01021994, free: gigabyte / 16 }) },
  ],
  ['when /dev/shm is on a disk', { statMemoryFiles: () => ({ type: 0xef53, free: 12 * gigabyte }) }],
  [
    'without /dev/shm',
    {
      statMemoryFiles() {
        throw new Error('ENOENT');
      },
    },
  ],
])('they are where the system has them: %s', (_, machine) => {
  expect(hasMemoryForFiles({ ...large, ...machine })).toBe(false);
});
