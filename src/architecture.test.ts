import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// Who may know whom. On the left a room of src; on the right the rooms it may import, through their index.ts where they
// have one, and single files by path. A room not named here may not exist.
const mayImport: Record<string, readonly string[]> = {
  app: [
    'ui',
    'server',
    'idempotency/react.ts',
    'idempotency/browser/attempt-memory.ts',
    'payments/declines.ts',
    'payments/money.ts',
  ],
  ui: ['idempotency/react.ts', 'payments/money.ts'],
  // Next's door before every page.
  proxy: ['app/content-security-policy.ts', 'server/env.ts'],
  worker: ['server'],
  server: ['lab', 'reconciliation', 'payments', 'idempotency', 'prisma'],
  lab: ['reconciliation', 'payments', 'idempotency', 'prisma'],
  reconciliation: ['payments', 'idempotency', 'prisma'],
  payments: ['idempotency', 'prisma'],
  idempotency: [],
  // Another company: it knows nobody, and is known by nobody but over HTTP.
  sandbox: [],
  run: ['server/env.ts', 'prisma'],
  architecture: [],
  'failure-matrix': [],
};

// Besides index.ts, these files may be imported from outside their room: each has its own kind of reader.
const publicFaces = [
  'idempotency/react.ts',
  'idempotency/browser/attempt-memory.ts',
  'idempotency/trpc.ts',
  'idempotency/http.ts',
  'idempotency/stores/memory.ts',
  'idempotency/stores/prisma.ts',
  'payments/declines.ts',
  'payments/money.ts',
  'payments/outbox/index.ts',
  'payments/outbox/console.ts',
];

// Files, by the beginning of their path, that may do what their room may not.
const exceptions: Record<string, readonly string[]> = {
  // Appointing an owner is the server's business; the command is a door to it.
  'run/owner.ts': ['server'],
  // Measuring puts together what otherwise only the server does.
  'run/measure/': ['idempotency', 'server'],
  'idempotency/stores/prisma': ['prisma'],
};

// Tests may also enter by the testing/ folder of a room they may import.
const forTests = /\.test\.tsx?$|\/testing\//;
const testingFaces = /^[^/]+\/testing\//;

// The domain-free heart must be usable without any of these.
const strangersToIdempotency = /^(@prisma\/|prisma|next|stripe)(\/|$)|^@prisma$/;

const source = import.meta.dirname;

type Import = { file: string; target: string };

function listSources(): string[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)));
}

// `#payments/money.ts` and `../payments/money.ts` are the same file: both become `payments/money.ts`. The generated
// client becomes `prisma`, and packages keep their name behind `npm:`.
function resolve(file: string, specifier: string): string {
  if (specifier === '#prisma' || specifier.includes('prisma/client/')) return 'prisma';
  if (specifier.startsWith('#')) return specifier.slice(1);
  if (!specifier.startsWith('.')) return `npm:${specifier}`;
  const target = path.join(path.dirname(file), specifier);
  return target.startsWith('../prisma/') ? 'prisma' : target;
}

function readImports(): Import[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;
  return listSources().flatMap((file) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    return [...text.matchAll(pattern)].map(([, , specifier = '']) => ({
      file,
      target: resolve(file, specifier),
    }));
  });
}

function roomOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/(\.test)?\.tsx?$/, '');
}

function isAllowed({ file, target }: Import): boolean {
  const [from, to] = [roomOf(file), roomOf(target)];
  if (target.startsWith('npm:') || from === to) return true;
  // A test may use the harness, and set up rows and look at them without its room's leave.
  if (forTests.test(file) && (to === 'prisma' || target.startsWith('run/testing/'))) return true;
  const excepted = Object.entries(exceptions).filter(([beginning]) => file.startsWith(beginning));
  const allowed = [...(mayImport[from] ?? []), ...excepted.flatMap(([, rooms]) => rooms)];
  return allowed.includes(to) || allowed.includes(target);
}

function usesFrontDoor({ file, target }: Import): boolean {
  const to = roomOf(target);
  if (target.startsWith('npm:') || roomOf(file) === to) return true;
  if (!existsSync(path.join(source, to, 'index.ts'))) return true;
  if (forTests.test(file) && testingFaces.test(target)) return true;
  return target === `${to}/index.ts` || publicFaces.includes(target);
}

const imports = readImports();
const show = ({ file, target }: Import) => `${file} imports ${target}`;

test('the imports of the whole house are read', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.map(({ file }) => roomOf(file))).toContain('idempotency');
});

test('every room is in the table', () => {
  const unknown = listSources().filter((file) => mayImport[roomOf(file)] === undefined);
  expect(unknown).toEqual([]);
});

test('dependencies point one way', () => {
  expect(imports.filter((one) => !isAllowed(one)).map(show)).toEqual([]);
});

test('a room is entered through its index.ts or a listed public face', () => {
  expect(imports.filter((one) => !usesFrontDoor(one)).map(show)).toEqual([]);
});

test('idempotency knows neither Prisma, nor Next, nor Stripe', () => {
  const strangers = imports
    .filter(({ file }) => file.startsWith('idempotency/') && !forTests.test(file))
    .filter(
      ({ target }) => target.startsWith('npm:') && strangersToIdempotency.test(target.slice('npm:'.length)),
    );
  expect(strangers.map(show)).toEqual([]);
});

test('a wrong import would be noticed', () => {
  expect(isAllowed({ file: 'idempotency/engine.ts', target: 'payments/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'idempotency/engine.ts', target: 'prisma' })).toBe(false);
  expect(isAllowed({ file: 'idempotency/stores/prisma.ts', target: 'prisma' })).toBe(true);
  expect(isAllowed({ file: 'app/page.tsx', target: 'payments/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'ui/button.tsx', target: 'server/wiring.ts' })).toBe(false);
  expect(isAllowed({ file: 'server/wiring.ts', target: 'sandbox/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'server/wiring.ts', target: 'run/testing/database.ts' })).toBe(false);
  expect(isAllowed({ file: 'run/start.ts', target: 'server/wiring.ts' })).toBe(false);
  expect(usesFrontDoor({ file: 'server/wiring.ts', target: 'payments/ledger.ts' })).toBe(false);
  expect(resolve('payments/commands/pay.ts', '../../idempotency/engine.ts')).toBe('idempotency/engine.ts');
});
