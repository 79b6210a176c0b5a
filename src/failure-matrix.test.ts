import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/** The failures that the contract lists. A test names the row it covers: `row 7: …`. */
const matrix: Readonly<Record<number, string>> = {
  1: 'same key, same command, completed',
  2: 'the same, reordered or with explicit defaults',
  3: 'a different command, in each state',
  4: 'many identical requests at once on two processes',
  5: 'double click in a browser',
  6: 'response lost to the browser',
  7: 'offline, then online',
  8: 'reload while paying',
  9: 'two tabs, two keys, one order',
  10: 'provider time-out after charging',
  11: 'provider time-out before charging',
  12: 'connection reset mid-response',
  13: 'provider 500',
  14: 'decline, then another card',
  15: 'SIGKILL at every recovery point',
  16: 'owner stalls past its lease, then responds',
  17: 'two reconcilers at once',
  18: 'webhook before the response, twice, out of order, forged',
  19: 'reconcile schedule exhausted',
  20: 'database down at claim and at finish',
  21: 'replay window over, metadata gone',
  22: 'a deploy changed the response schema or the fingerprint',
  23: 'another tenant’s and another principal’s key',
  24: 'duplicate outbox delivery, crash between effect and acknowledgement',
  25: 'refund retried, refund with a payment’s key',
  26: 'clock skew between processes',
};

/** The rows that tests name, and where. Tests that do not run cover nothing. */
function findCoverage(): Map<number, string[]> {
  const files = new Map<number, string[]>();
  for (const folder of ['src', 'e2e']) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(test|spec)\.tsx?$/.test(file)) continue;
      const text = readFileSync(path.join(folder, file), 'utf8');
      for (const [, idle, row] of text.matchAll(/(\.(?:skip|todo|fixme|fails)\w*\(\s*)?['"`]row (\d+): /g)) {
        if (!idle) files.set(Number(row), [...(files.get(Number(row)) ?? []), path.join(folder, file)]);
      }
    }
  }
  return files;
}

const coverage = findCoverage();

test.each(Object.entries(matrix))('row %s of the failure matrix (%s) is covered by a test', (row) => {
  expect(coverage.get(Number(row)) ?? []).not.toEqual([]);
});

test('no test names a row that is not in the matrix', () => {
  expect([...coverage.keys()].filter((row) => !(row in matrix))).toEqual([]);
});
