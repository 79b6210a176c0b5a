import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { operationNames } from './copy.ts';

// Everything particular to an operation is in its folder, and everything else reads the registry. So no other file names
// an operation, compares with a name, or imports one operation.

/** Files that execute one particular operation, because that is what they are for. */
const callers: Record<string, string> = {
  'run/bench/payment-workload.ts': 'measures payments',
  'payments/index.ts': 'exports the operations to those below',
  'payments/exceptions/refund-exception.ts': 'refunds the money of an exception',
  'payments/exceptions/book-exception.ts': 'books a payment or refund that the database had lost',
  'console/refunds/run-refund.ts': 'refunds a payment from its page',
  'server/trpc/routers/payments.ts': 'pays an order',
  'lab/play-lane.ts': 'pays through the HTTP API, and reads the records of its keys',
};

const source = path.resolve(import.meta.dirname, '../..');
const home = 'payments/operations/';
const isTest = /\.test\.tsx?$|\/testing\//;

interface Source {
  readonly file: string;
  readonly text: string;
}

function readSources(): readonly Source[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith(home) && !isTest.test(file))
    .map((file) => ({ file, text: readFileSync(path.join(source, file), 'utf8') }));
}

/** In strings, templates, addresses and comments. `tx.payment.create(…)` is a method of Prisma's client. */
function namesIn({ text }: Source): string[] {
  return operationNames.filter((name) =>
    new RegExp(`(?<![.\\w])${name.replaceAll('.', '\\.')}(?![\\w(])`).test(text),
  );
}

/** A record's or event's operation, or a definition's name, compared with something; whether there is one is no comparison. */
const comparisons = [
  /\b(?:operation|definition\.name) [!=]==(?! (?:undefined|null|operationId)\b)/,
  /[!=]== (?:\w+\??\.)*(?:operation|definition\.name)\b(?![.\w])/,
  /\bswitch \((?:\w+\.)*(?:operation|definition\.name)\)/,
];

function comparisonsIn({ text }: Source): string[] {
  return comparisons.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
}

const importing = /(?:import|export) (type )?\{([^}]*)\} from '([^']+)'/g;

/** What the payments module exports of single operations. */
const exported = [...readFileSync(path.join(source, 'payments/index.ts'), 'utf8').matchAll(importing)]
  .filter(([, , , from = '']) => /^\.\/operations\/[^/]+\//.test(from))
  .flatMap(([, , names = '']) => valuesIn(names));

function valuesIn(names: string): string[] {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '));
}

function operationsImportedBy({ file, text }: Source): string[] {
  return [...text.matchAll(importing)].flatMap(([, isType, names = '', from = '']) => {
    const target = from.startsWith('#') ? from.slice(1) : path.join(path.dirname(file), from);
    if (target.startsWith(home) && target.slice(home.length).includes('/')) return [target];
    if (isType || target !== 'payments/index.ts') return [];
    return valuesIn(names).filter((name) => exported.includes(name));
  });
}

const sources = readSources();
const find = (findIn: (one: Source) => string[]) =>
  sources.flatMap((one) => findIn(one).map((found) => `${one.file}: ${found}`));

test('the sources are read', () => {
  expect(sources.length).toBeGreaterThan(400);
  expect(exported).toContain('createPaymentKind');
});

describe('outside the folders of the operations', () => {
  test('no file names an operation', () => {
    expect(find(namesIn)).toEqual([]);
  });

  test('no file compares with the name of an operation', () => {
    expect(find(comparisonsIn)).toEqual([]);
  });

  test('no file imports a single operation, except those that execute it', () => {
    expect(find((one) => (one.file in callers ? [] : operationsImportedBy(one)))).toEqual([]);
  });

  test('every file that may import a single operation does', () => {
    const importers = sources.filter((one) => operationsImportedBy(one).length > 0).map(({ file }) => file);
    expect(Object.keys(callers).filter((file) => !importers.includes(file))).toEqual([]);
  });
});

describe('what the tests above detect', () => {
  const at = (text: string): Source => ({ file: 'console/page.ts', text });

  test.each([
    `if (kind === 'payment.create') return;`,
    'href={`/admin/operations?kind=refund.create&younger=1h`}',
    "const sql = `SELECT FROM operation WHERE operation = 'payment.create'`;",
    '// Only for refund.create.',
  ])('a name: %s', (text) => {
    expect(namesIn(at(text))).toHaveLength(1);
  });

  test('Prisma’s methods are no names', () => {
    expect(namesIn(at('await tx.payment.create({ data }); await db.refund.createMany({ data });'))).toEqual(
      [],
    );
  });

  test.each([
    'if (event.operation === pay.name) return;',
    'return refund.name !== record.operation;',
    'if (kind.definition.name === name) return;',
    'switch (record.operation) {',
  ])('a comparison: %s', (text) => {
    expect(comparisonsIn(at(text)).length).toBeGreaterThan(0);
  });

  test.each([
    'if (operation === undefined) return;',
    'if (operation.id !== ref.id) return;',
    'if (metadata.operation === operationId) return;',
  ])('no comparison of names: %s', (text) => {
    expect(comparisonsIn(at(text))).toEqual([]);
  });

  test.each([
    `import { createPaymentKind } from '#payments/index.ts';`,
    `import { releasePayment } from '../payments/operations/create-payment/release-payment.ts';`,
  ])('an import: %s', (text) => {
    expect(operationsImportedBy(at(text))).toHaveLength(1);
  });
});
