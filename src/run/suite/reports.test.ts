import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { countPlaywright, countVitest } from './reports.ts';

const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-reports-'));
const file = path.join(directory, 'report.json');

afterAll(() => rmSync(directory, { recursive: true }));

function vitest(numPassedTests: number, numFailedTests: number, testResults: object[] = []): string {
  writeFileSync(file, JSON.stringify({ numPassedTests, numFailedTests, testResults }));
  return file;
}

function playwright(expected: number, unexpected: number): string {
  writeFileSync(file, JSON.stringify({ stats: { expected, unexpected, flaky: 0 }, errors: [] }));
  return file;
}

test('tests are counted as the tools report them', () => {
  expect(countVitest(vitest(7, 2), false)).toEqual({ passed: 7, failed: 2 });
  expect(countPlaywright(playwright(4, 1), false)).toEqual({ passed: 4, failed: 1 });
});

test('a part that ran nothing has failed', () => {
  expect(countVitest(vitest(0, 0), true)).toEqual({ passed: 0, failed: 1 });
  expect(countPlaywright(playwright(0, 0), true)).toEqual({ passed: 0, failed: 1 });
});

test('a tool that fails although every test passed has failed', () => {
  expect(countVitest(vitest(7, 0), false)).toEqual({ passed: 7, failed: 1 });
  expect(countPlaywright(playwright(4, 0), false)).toEqual({ passed: 4, failed: 1 });
});

test('a test file that does not load is a failure', () => {
  const unloaded = [{ status: 'failed', assertionResults: [] }];
  expect(countVitest(vitest(7, 0, unloaded), false)).toEqual({ passed: 7, failed: 1 });
});

test('a tool that left no report has failed', () => {
  expect(countVitest(path.join(directory, 'none.json'), true)).toEqual({ passed: 0, failed: 1 });
});
