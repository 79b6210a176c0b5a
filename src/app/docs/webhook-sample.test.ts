import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { webhookSample } from './webhook-sample.ts';

test('the receiver that is shown is the one of the README, which a test runs', () => {
  const readme = readFileSync(new URL('../../payments/README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`\`\`\`js\n${webhookSample}\`\`\``);
});
