import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8');

/** Without the indentation, which depends on where a sample stands. */
const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join('\n');

test.each([
  ['README.md', 8],
  ['../../README.md', 1],
])('every sample of %s is code that compiles and is run', (file, atLeast) => {
  const code = lines(read('testing/sample-app.ts') + read('testing/sample-form.tsx'));
  const samples = [...read(file).matchAll(/```tsx?\n(.*?)```/gs)].map(([, sample = '']) => sample);
  expect(samples.length).toBeGreaterThanOrEqual(atLeast);
  for (const sample of samples) expect(code).toContain(lines(sample.trim()));
});
