import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { actionCopy } from './action-copy.ts';

/** The names that the code writes to the audit log, where they stand in one piece. */
function writtenActions(): string[] {
  const source = path.join(import.meta.dirname, '..', '..');
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(console|server)\/.*(?<!\.test)\.ts$/.test(file),
  );
  const texts = files.map((file) => readFileSync(path.join(source, file), 'utf8'));
  return texts
    .filter((text) => /[aA]uditEntry|writeAccountEntr|auditAccount/.test(text))
    .flatMap((text) => [...text.matchAll(/action: '([a-z_]+\.[a-z_]+)'/g)].map(([, action]) => action ?? ''));
}

test('every action of the audit log is written in words', () => {
  const actions = writtenActions();
  expect(actions).toContain('member.change_role');
  const raw = actions.filter((action) => actionCopy(action) === action.replaceAll(/[._]/g, ' '));
  expect(raw).toEqual([]);
});
