import { afterEach, expect, test, vi } from 'vitest';
import { runCommand } from './terminal.ts';

afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test.each([
  ['ENOSPC', 'ENOSPC: no space left on device, write'],
  ['EACCES', "EACCES: permission denied, open '.data/run.json'"],
  ['EROFS', "EROFS: read-only file system, mkdir '.data'"],
])('a disk that cannot be written (%s) is one sentence, not a stack', async (code, message) => {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'command']);
  await runCommand('', () => Promise.reject(Object.assign(new Error(message), { code, syscall: 'write' })));
  expect(printed.mock.calls.join('')).toBe(`${message}\n`);
  expect(process.exitCode).toBe(1);
});
