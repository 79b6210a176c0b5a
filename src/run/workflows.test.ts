import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inCheckout } from './checkout.ts';

const workflows = readdirSync(inCheckout('.github', 'workflows')).map((name) =>
  readFileSync(inCheckout('.github', 'workflows', name), 'utf8'),
);

test('every action of CI is named by the commit that was read, because a tag can be moved to another one', () => {
  const used = workflows.flatMap((text) => [...text.matchAll(/uses:\s*(.+)/g)].map(([, action]) => action));
  expect(used.length).toBeGreaterThan(0);
  for (const action of used) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/);
});

test('CI asks whether a dependency has a known vulnerability', () => {
  expect(workflows.join('\n')).toContain('run: .ci/audit');
  expect(readFileSync(inCheckout('.ci', 'audit'), 'utf8')).toContain('npm audit');
});
