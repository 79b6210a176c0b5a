import { expect, test } from 'vitest';
import { listTestFiles } from './choose.ts';
import { slowFiles } from './slowest-first.ts';

test('every file of the list exists', () => {
  const files = listTestFiles();
  expect(slowFiles.filter((file) => !files.includes(file))).toEqual([]);
});
