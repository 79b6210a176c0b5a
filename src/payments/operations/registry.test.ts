import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { providerCalls } from '../decorate-provider.ts';
import { commonCopy, operationCopy, operationNames } from './copy.ts';
import { operationDefaults } from './defaults.ts';
import { apiKinds, findKind, kindOf, operationKinds } from './registry.ts';

const duplicatesIn = (values: readonly string[]) =>
  values.filter((value, index) => values.indexOf(value) !== index);

test('every name has its kind, in the same order, and a name that there is not has none', () => {
  expect(operationKinds.map(({ definition }) => definition.name)).toEqual(operationNames);
  for (const name of operationNames) expect(findKind(name)).toBe(kindOf(name));
  expect(findKind('payout.create')).toBeUndefined();
  expect(findKind('toString')).toBeUndefined();
});

/** Operations of one kind of effect share the object that describes it. */
const once = <T>(values: readonly T[]): T[] => [...new Set(values)];

describe('no two operations have the same', () => {
  const copies = operationNames.map((name) => operationCopy[name]);
  test.each<[string, readonly string[]]>([
    ['assertion', once(copies.map(({ assertions }) => assertions)).flatMap(Object.keys)],
    ['noun', copies.map((copy) => copy.noun)],
    ['tone in the chart', copies.map((copy) => copy.chart.tone)],
    ['problem', once(operationKinds.map(({ problems }) => problems)).flatMap(Object.keys)],
    ['collection of the API', apiKinds.map(({ http }) => http.collection)],
    [
      'schema of the API',
      apiKinds.flatMap(({ http: { request, response, read } }) => [
        ...[request.name, response.name],
        ...(read ? [read.name] : []),
      ]),
    ],
    ['field of the API', apiKinds.flatMap(({ http }) => Object.keys(http.fields))],
    ['kind of activity', operationKinds.map(({ metrics }) => metrics.activity)],
  ])('%s', (_, values) => {
    expect(values.length).toBeGreaterThan(1);
    expect(duplicatesIn(values)).toEqual([]);
  });
});

test('a tenant’s retention holds for all operations alike: they share one default', () => {
  for (const { definition } of operationKinds) {
    expect(definition.retention).toBe(operationDefaults.retention);
  }
});

test('every call to the provider has a text', () => {
  const copied = operationNames.flatMap((name) => Object.keys(operationCopy[name].providerCalls));
  expect(providerCalls.filter((call) => !copied.includes(call))).toEqual([]);
});

test('no operation gives a state or refusal of all operations another text', () => {
  for (const name of operationNames) {
    const { providerStates, refusals } = operationCopy[name];
    expect(Object.keys(commonCopy.providerStates).filter((state) => state in providerStates)).toEqual([]);
    expect(Object.keys(commonCopy.refusals).filter((refusal) => refusal in refusals)).toEqual([]);
  }
});

describe('the copy can be loaded by a browser', () => {
  const here = import.meta.dirname;
  const texts = /(\/copy|operation-copy|\/state-copy|\/money)\.ts$/;

  function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
    if (reached.has(file)) return reached;
    reached.add(file);
    for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/from '([^']+)'/g)) {
      reachedFrom(
        from.startsWith('#payments/')
          ? path.resolve(here, '..', from.slice('#payments/'.length))
          : from.startsWith('.')
            ? path.resolve(path.dirname(file), from)
            : from,
        reached,
      );
    }
    return reached;
  }

  test('it imports nothing but texts and money', () => {
    const reached = [...reachedFrom(path.join(here, 'copy.ts'))];
    expect(reached.length).toBeGreaterThan(operationNames.length);
    expect(reached.filter((file) => !texts.test(file))).toEqual([]);
  });
});
