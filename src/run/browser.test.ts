import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { playwrightShells } from './browser/playwright.ts';
import { findBrowser } from './browser.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-browser-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

function addProgram(...parts: string[]): string {
  const file = path.join(directory, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 });
  return file;
}

test('a machine with a whole browser and a headless shell is tested in the shell', async () => {
  addProgram('first', 'chromium');
  const shell = addProgram('second', 'chromium-headless-shell');
  vi.stubEnv('PAIDONCE_BROWSER', '');
  vi.stubEnv('PATH', [path.join(directory, 'first'), path.join(directory, 'second')].join(path.delimiter));
  expect(await findBrowser(() => undefined)).toBe(shell);
});

test('the shell that Playwright downloaded is found beside its whole browser, in the same version', () => {
  const whole = addProgram('chromium-1254', 'chrome-linux64', 'chrome');
  expect(playwrightShells(whole)).toEqual([]);
  addProgram('chromium_headless_shell-1200', 'chrome-headless-shell-linux64', 'chrome-headless-shell');
  const shell = addProgram(
    'chromium_headless_shell-1254',
    'chrome-headless-shell-linux64',
    'chrome-headless-shell',
  );
  expect(playwrightShells(whole)).toEqual([shell]);
});
