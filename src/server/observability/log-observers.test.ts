import { expect, test } from 'vitest';
import type { Logger } from './log.ts';
import { createLogObservers } from './log-observers.ts';

function createLines() {
  const lines: [level: string, fields: unknown, message: string][] = [];
  const writer = (level: string) => (fields: unknown, message: string) =>
    lines.push([level, fields, message]);
  const log = { info: writer('info'), warn: writer('warn'), error: writer('error') };
  return { lines, observers: createLogObservers(log as unknown as Logger) };
}

const about = { operation: 'payment.create', operationId: 'op-1', tenantId: 'acme' };

test('a check that threw is an error in the log, with the error, the operation and the tenant', () => {
  const { lines, observers } = createLines();
  const error = new Error('a bug');
  observers.dueWork({ kind: 'check_failed', source: 'poller', ...about, error });
  const line = { kind: 'check_failed', source: 'poller', ...about, err: error };
  expect(lines).toEqual([['error', line, 'check_failed']]);
});

test('an exhausted schedule is an error in the log, and what goes well is not', () => {
  const { lines, observers } = createLines();
  observers.dueWork({ kind: 'exhausted', ...about, checks: 15 });
  observers.dueWork({ kind: 'swept', ...about, to: 'unknown' });
  expect(lines).toEqual([
    ['error', { kind: 'exhausted', ...about, checks: 15 }, 'exhausted'],
    ['info', { kind: 'swept', ...about, to: 'unknown' }, 'swept'],
  ]);
});
