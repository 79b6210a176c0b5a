import { appendFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { noteworthy, openChildLog } from './child-log.ts';

test.each([
  ['a warning of pino', '{"level":40,"msg":"slow"}', false, 'slow'],
  ['an error with its cause', '{"level":50,"msg":"failed","err":{"message":"gone"}}', false, 'failed: gone'],
  ['an ordinary entry', '{"level":30,"msg":"hello"}', false, undefined],
  ['an ordinary entry on stderr', '{"level":30,"msg":"hello"}', true, undefined],
  ['plain text on stderr', 'TypeError: x', true, 'TypeError: x'],
  ['plain text on stdout', '✓ Ready', false, undefined],
  ['a broken entry on stderr', '{"level":', true, '{"level":'],
])('%s is printed only if it is a warning or plain stderr', (_, line, fromStderr, shown) => {
  expect(noteworthy(line, fromStderr)).toBe(shown);
});

test('a line that is written in two parts is printed once, as a whole', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-log-'));
  const file = path.join(directory, 'x.log');
  const shown: string[] = [];
  const log = openChildLog(file, true, (line) => shown.push(line));
  appendFileSync(file, 'first half ');
  log.flush();
  appendFileSync(file, 'second half\nnext\n');
  log.flush();
  log.close();
  rmSync(directory, { recursive: true });
  expect(shown).toEqual(['first half second half', 'next']);
});

test('lines are still printed after a log rotation has emptied the file', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-log-'));
  const file = path.join(directory, 'x.log');
  const shown: string[] = [];
  const log = openChildLog(file, true, (line) => shown.push(line));
  appendFileSync(file, 'a long line before\nhalf of');
  log.flush();
  truncateSync(file);
  appendFileSync(file, 'after\n');
  log.flush();
  log.close();
  rmSync(directory, { recursive: true });
  expect(shown).toEqual(['a long line before', 'after']);
});
