import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// Which modules each module of src may import: through their index.ts where they have one, and single files by path.
// Dependencies point downwards in this table. A module that is not in it fails a test.
const mayImport: Record<string, readonly string[]> = {
  proxy: ['app/content-security-policy.ts', 'server/env.ts'],
  worker: ['jobs'],
  run: ['server/env.ts', 'prisma'],
  app: [
    'ui',
    'server',
    'console',
    'shop',
    'payments/declines.ts',
    'payments/money.ts',
    'idempotency/react.ts',
    'idempotency/browser/key-memory.ts',
  ],
  ui: ['payments/money.ts'],
  server: ['console', 'shop', 'lab', 'jobs', 'reconciliation', 'payments', 'idempotency', 'prisma'],
  console: ['reconciliation', 'payments', 'idempotency', 'prisma'],
  shop: ['reconciliation', 'payments', 'idempotency', 'prisma'],
  lab: ['reconciliation', 'payments', 'idempotency', 'prisma'],
  jobs: ['reconciliation', 'payments', 'idempotency', 'prisma'],
  reconciliation: ['payments', 'idempotency', 'prisma'],
  payments: ['idempotency', 'prisma'],
  idempotency: [],
  // The sandbox stands for another company: it is reached only over HTTP.
  sandbox: [],
  architecture: [],
  'failure-matrix': [],
};

// Besides index.ts, these files may be imported from outside their module: each has readers of its own, such as a browser.
const publicFiles = [
  'idempotency/react.ts',
  'idempotency/browser/key-memory.ts',
  'idempotency/adapters/trpc.ts',
  'idempotency/adapters/fetch.ts',
  'idempotency/stores/memory.ts',
  'idempotency/stores/prisma.ts',
  'payments/declines.ts',
  'payments/money.ts',
  'payments/outbox/index.ts',
  'payments/outbox/console.ts',
];

// Files, by the beginning of their path, that may import more than their module.
const mayAlsoImport: Record<string, readonly string[]> = {
  // The command line's way to appoint an owner.
  'run/owner.ts': ['server'],
  // Measurements compose what otherwise only the server composes.
  'run/measure/': ['idempotency', 'server'],
  'idempotency/stores/prisma': ['prisma'],
};

const exceptions: Record<string, readonly string[]> = {
  'console/exceptions/exceptions.db.test.ts': ['server/testing/open-database.ts'],
  'console/inbox/provider-inbox.db.test.ts': ['server/testing/open-database.ts'],
  'console/members/members.db.test.ts': ['server/api-keys.ts'],
  'console/operation-page/find-operation.ts': ['server/services.ts'],
  'console/operation-page/watch-operation.db.test.ts': ['server/testing/open-database.ts'],
  'console/operation-page/watch-operation.ts': ['server/services.ts'],
  'console/operations-list/export-response.ts': ['server/services.ts'],
  'console/operations-list/finding.db.test.ts': [
    'server/observability/activity.ts',
    'server/testing/open-database.ts',
  ],
  'console/operations-list/million-operations.db.test.ts': ['server/database.ts'],
  'console/operations-list/selective-filters.db.test.ts': ['server/testing/open-database.ts'],
  'console/overview/activity-series.ts': [
    'server/observability/activity.ts',
    'server/observability/duration-cells.ts',
  ],
  'console/overview/overview.ts': ['server/observability/worker-liveness.ts'],
  'console/resolution/reconcile-operation.ts': ['server/services.ts'],
  'console/resolution/resolve.ts': ['server/services.ts'],
  'console/settings/api-keys.ts': ['server/api-keys.ts'],
  'console/settings/tenant-settings.ts': ['server/env.ts'],
  'console/testing/console-harness.ts': [
    'server/services.ts',
    'server/trpc/context.ts',
    'server/trpc/root.ts',
  ],
  'jobs/background.ts': ['server/observability/activity.ts', 'server/services.ts'],
  'jobs/exhausted-alert.ts': ['server/env.ts'],
  'jobs/outbox-tasks.ts': ['server/observability/log.ts', 'server/services.ts'],
  'jobs/provider-event-tasks.ts': ['server/services.ts'],
  'jobs/webhook-addresses.ts': ['server/env.ts'],
  'jobs/worker.ts': ['server/services.ts'],
  'payments/operations/create-payment/decide.ts': ['reconciliation/investigate.ts'],
  'payments/operations/create-payment/investigate.ts': [
    'reconciliation/investigate.ts',
    'reconciliation/provider-snapshot.ts',
  ],
  'payments/operations/create-refund/investigate.ts': [
    'reconciliation/investigate.ts',
    'reconciliation/provider-snapshot.ts',
  ],
  'reconciliation/crash.db.test.ts': ['payments/operations/create-payment/investigate.ts'],
  'reconciliation/follow-refund.db.test.ts': ['payments/operations/create-refund/investigate.ts'],
  'reconciliation/index.ts': [
    'payments/operations/create-payment/investigate.ts',
    'payments/operations/create-refund/investigate.ts',
  ],
  'reconciliation/investigate-payment.db.test.ts': ['payments/operations/create-payment/investigate.ts'],
  'reconciliation/investigate-refund.db.test.ts': ['payments/operations/create-refund/investigate.ts'],
  'reconciliation/provider-events.db.test.ts': ['payments/operations/create-payment/investigate.ts'],
  'reconciliation/reconcile.db.test.ts': [
    'payments/operations/create-payment/investigate.ts',
    'payments/operations/create-refund/investigate.ts',
  ],
  'shop/ask-charges.ts': ['server/rate-limit.ts', 'server/services.ts'],
  'shop/payment-status.ts': ['server/services.ts'],
  'shop/testing/harness.ts': ['server/testing/open-database.ts'],
};

// Tests may also import from the testing/ folder of a module that their module may import.
const forTests = /\.test\.tsx?$|\/testing\//;
const testingFiles = /^[^/]+\/testing\//;

// The engine must be usable without any of these.
const foreignToIdempotency = /^(@prisma\/|prisma|next|stripe)(\/|$)|^@prisma$/;

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

function moduleOf(file: string): string {
  return (file.split('/')[0] ?? '').replace(/(\.test)?\.tsx?$/, '');
}

function isAllowed({ file, target }: Import): boolean {
  const [from, to] = [moduleOf(file), moduleOf(target)];
  if (target.startsWith('npm:') || from === to) return true;
  // Every test may use the test database, and read and write rows.
  if (forTests.test(file) && (to === 'prisma' || target.startsWith('run/testing/'))) return true;
  const more = Object.entries(mayAlsoImport).filter(([beginning]) => file.startsWith(beginning));
  const allowed = [...(mayImport[from] ?? []), ...more.flatMap(([, modules]) => modules)];
  return allowed.includes(to) || allowed.includes(target);
}

function usesPublicFile({ file, target }: Import): boolean {
  const to = moduleOf(target);
  if (target.startsWith('npm:') || moduleOf(file) === to) return true;
  if (!existsSync(path.join(source, to, 'index.ts'))) return true;
  if (forTests.test(file) && testingFiles.test(target)) return true;
  return target === `${to}/index.ts` || publicFiles.includes(target);
}

function isException({ file, target }: Import): boolean {
  return exceptions[file]?.includes(target) ?? false;
}

const imports = readImports();
const show = ({ file, target }: Import) => `${file} imports ${target}`;

test('the imports of all modules are read', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(imports.map(({ file }) => moduleOf(file))).toContain('idempotency');
});

test('every module is in the table', () => {
  const unknown = listSources().filter((file) => mayImport[moduleOf(file)] === undefined);
  expect(unknown).toEqual([]);
});

test('the table points downwards', () => {
  const order = Object.keys(mayImport);
  const upwards = Object.entries(mayImport).flatMap(([from, targets]) =>
    targets
      .map(moduleOf)
      .filter((to) => to !== 'prisma' && order.indexOf(to) <= order.indexOf(from))
      .map((to) => `${from} imports ${to}`),
  );
  expect(upwards).toEqual([]);
});

test('dependencies point one way', () => {
  expect(imports.filter((one) => !isAllowed(one) && !isException(one)).map(show)).toEqual([]);
});

test('a module is imported through its index.ts or a listed public file', () => {
  expect(imports.filter((one) => !usesPublicFile(one) && !isException(one)).map(show)).toEqual([]);
});

test('every exception is still needed', () => {
  const listed = Object.entries(exceptions).flatMap(([file, targets]) =>
    targets.map((target) => ({ file, target })),
  );
  const needed = new Set(imports.filter((one) => !isAllowed(one) || !usesPublicFile(one)).map(show));
  expect(listed.map(show).filter((one) => !needed.has(one))).toEqual([]);
});

test('idempotency imports neither Prisma, nor Next, nor Stripe', () => {
  const foreign = imports
    .filter(({ file }) => file.startsWith('idempotency/') && !forTests.test(file))
    .filter(
      ({ target }) => target.startsWith('npm:') && foreignToIdempotency.test(target.slice('npm:'.length)),
    );
  expect(foreign.map(show)).toEqual([]);
});

test('a wrong import is detected', () => {
  expect(isAllowed({ file: 'idempotency/engine.ts', target: 'payments/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'idempotency/engine.ts', target: 'prisma' })).toBe(false);
  expect(isAllowed({ file: 'idempotency/stores/prisma.ts', target: 'prisma' })).toBe(true);
  expect(isAllowed({ file: 'app/page.tsx', target: 'payments/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'ui/button.tsx', target: 'server/services.ts' })).toBe(false);
  expect(isAllowed({ file: 'shop/cart.ts', target: 'server/env.ts' })).toBe(false);
  expect(isAllowed({ file: 'console/audit/list-audit.ts', target: 'shop/cart.ts' })).toBe(false);
  expect(isAllowed({ file: 'payments/ledger.ts', target: 'reconciliation/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'server/services.ts', target: 'sandbox/index.ts' })).toBe(false);
  expect(isAllowed({ file: 'server/services.ts', target: 'run/testing/database.ts' })).toBe(false);
  expect(isAllowed({ file: 'run/start.ts', target: 'server/services.ts' })).toBe(false);
  expect(usesPublicFile({ file: 'server/services.ts', target: 'payments/ledger.ts' })).toBe(false);
  expect(resolve('payments/operations/pay.ts', '../../idempotency/engine.ts')).toBe('idempotency/engine.ts');
});
