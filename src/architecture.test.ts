import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// Which modules each module of src may import: through their index.ts where they have one, and single files by path.
// Dependencies point downwards in this table. A module that is not in it fails a test.
const mayImport: Record<string, readonly string[]> = {
  proxy: [
    'app/content-security-policy.ts',
    'app/path-header.ts',
    'server/env.ts',
    'server/incoming/page-request.ts',
  ],
  instrumentation: ['server'],
  worker: ['server', 'jobs'],
  api: ['server'],
  lane: ['server', 'lab', 'idempotency'],
  run: ['server/env.ts', 'payments/stripe/event-types.ts', 'prisma'],
  app: [
    'ui',
    'server',
    'console',
    'shop',
    'faults',
    'payments/declines.ts',
    'payments/money.ts',
    'payments/unsafe-text.ts',
    'payments/operations/copy.ts',
    'payments/state-copy.ts',
    'idempotency/react.ts',
    'idempotency/browser/key-memory.ts',
  ],
  ui: ['payments/money.ts', 'payments/operations/copy.ts', 'server/trpc/outputs.ts'],
  server: [
    'console',
    'shop',
    'lab',
    'jobs',
    'reconciliation',
    'payments',
    'queue',
    'idempotency',
    'faults',
    'prisma',
  ],
  console: ['reconciliation', 'payments', 'queue', 'idempotency', 'prisma'],
  shop: ['reconciliation', 'payments', 'queue', 'idempotency', 'prisma'],
  lab: ['reconciliation', 'payments', 'queue', 'idempotency', 'faults', 'prisma'],
  jobs: ['reconciliation', 'payments', 'queue', 'idempotency', 'prisma'],
  reconciliation: ['payments', 'queue', 'idempotency', 'prisma'],
  payments: ['queue', 'idempotency', 'prisma'],
  queue: ['prisma'],
  idempotency: [],
  // For the demo's pay page and for the lab, so it runs in browsers too.
  faults: [],
  // The sandbox stands for another company: it is reached only over HTTP.
  sandbox: [],
  architecture: [],
  'failure-matrix': [],
  words: [],
};

// Besides index.ts, these files may be imported from outside their module: each has readers of its own, such as a browser.
const publicFiles = [
  'idempotency/react.ts',
  'idempotency/browser/key-memory.ts',
  'idempotency/adapters/trpc.ts',
  'idempotency/adapters/fetch.ts',
  'idempotency/stores/memory.ts',
  'idempotency/stores/postgres.ts',
  'idempotency/stores/prisma.ts',
  'payments/declines.ts',
  'payments/money.ts',
  'payments/unsafe-text.ts',
  'payments/operations/copy.ts',
  'payments/state-copy.ts',
  'payments/stripe/event-types.ts',
  'payments/outbox/index.ts',
  'payments/outbox/console.ts',
  'lab/scenario.ts',
  'lab/scenarios.ts',
];

// Files, by the beginning of their path, that may import more than their module.
const mayAlsoImport: Record<string, readonly string[]> = {
  // The command line's way to appoint an owner.
  'run/owner.ts': ['server'],
  // The command line's way to say that the database was restored.
  'run/restored.ts': ['server', 'reconciliation'],
  // The command line lists the scenarios as they are; it runs them over HTTP.
  'run/lab': ['lab', 'faults'],
  // Measurements compose what otherwise only the server composes.
  'run/bench/': ['idempotency', 'payments', 'server'],
  'run/measure/': ['idempotency', 'server', 'console/settings/api-key-token.ts'],
  // Tests open the database as the server does.
  'run/testing/open-database.ts': ['server/database.ts'],
  'idempotency/stores/prisma': ['prisma'],
};

const exceptions: Record<string, readonly string[]> = {};

// Tests may also import from a testing/ folder of a module that their module may import.
const forTests = /\.test\.tsx?$|\/testing\//;
const testingFiles = /^[^/]+\/(?:[^/]+\/)*testing\//;

// The engine must be usable without any of these.
const foreignToIdempotency = /^(@prisma\/|prisma|next|stripe)(\/|$)|^@prisma$/;

const source = import.meta.dirname;

/** `lazy`: loaded only when the code that imports it runs. */
type Import = { file: string; target: string; erased?: boolean; lazy?: boolean };

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

// Before the `from` of an `import type` or `export type`: nothing of it is left at run time.
const typeImport = /\b(?:import|export)\s+type\s[^;'"]*$/;

function readImports(): Import[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])([^'"\n]+)\1/g;
  return listSources().flatMap((file) => {
    const text = readFileSync(path.join(source, file), 'utf8');
    return [...text.matchAll(pattern)].map(({ index, 0: whole, 2: specifier = '' }) => ({
      file,
      target: resolve(file, specifier),
      erased: typeImport.test(text.slice(0, index)),
      lazy: /^import\s*\(/.test(whole),
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

// What must never be sent to a browser: settings with their secrets, the database, the provider's client. The package
// server-only cannot guard these: it throws in the worker and in tests, which run without React's server condition.
const serverOnly =
  /^(server|jobs|lab|queue|reconciliation|sandbox|run|prisma)(\/|$)|^(idempotency\/stores|payments\/(stripe|outbox))\/|^npm:(node:|pg$|pino$|stripe$|nodemailer$|graphile-worker$|@prisma\/|next\/headers$)/;

function hasDirective(file: string, directive: 'use client' | 'use server'): boolean {
  return readFileSync(path.join(source, file), 'utf8').startsWith(`'${directive}'`);
}

/** All that is bundled with a file for the browser, and the file that imports each. A server action is called over the network instead. */
function reachFrom(entry: string, byFile: Map<string, Import[]>): Map<string, string> {
  const reached = new Map([[entry, entry]]);
  for (const [file, way] of reached) {
    for (const { target, erased } of byFile.get(file) ?? []) {
      if (erased || reached.has(target)) continue;
      const isAction = byFile.has(target) && hasDirective(target, 'use server');
      if (!isAction) reached.set(target, `${way} → ${target}`);
    }
  }
  return reached;
}

test('what runs in the browser reaches nothing that belongs to the server', () => {
  const byFile = Map.groupBy(imports, ({ file }) => file);
  const entries = listSources().filter((file) => hasDirective(file, 'use client'));
  expect(entries.length).toBeGreaterThan(50);
  const reached = entries.flatMap((entry) => [...reachFrom(entry, byFile)]);
  expect(reached.map(([file]) => file)).toContain('idempotency/browser/submission.ts');
  expect(reached.filter(([file]) => serverOnly.test(file)).map(([, way]) => way)).toEqual([]);
});

test('a way from the browser to the server is detected', () => {
  const file = 'app/trpc/server.ts';
  const byFile = Map.groupBy(imports, (one) => one.file);
  const found = [...reachFrom(file, byFile).keys()].filter((target) => serverOnly.test(target));
  expect(found).toContain('server/services.ts');
  expect(found).toContain('npm:pg');
});

test('the API, the worker and the commands start without better-auth, which is half of all code', () => {
  const byFile = Map.groupBy(
    imports.filter(({ lazy }) => !lazy),
    ({ file }) => file,
  );
  const heavy = (target: string) => /^npm:better-auth(?!\/crypto$)/.test(target);
  const loaded = ['api.ts', 'worker.ts', 'lane.ts', 'run/owner.ts'].flatMap((entry) => [
    ...reachFrom(entry, byFile),
  ]);
  expect(loaded.map(([file]) => file)).toContain('server/services.ts');
  expect(loaded.filter(([file]) => heavy(file)).map(([, way]) => way)).toEqual([]);
});

// The packages that the product's design is built on. Playwright's runner is imported by the browser tests.
const designPackages = [
  'next',
  'react',
  '@trpc/server',
  '@trpc/client',
  '@tanstack/react-query',
  'prisma',
  '@prisma/client',
  'zod',
  'playwright',
  'vitest',
];

test.each(designPackages)('%s of the design is a direct dependency, and is imported', (name) => {
  const root = path.join(source, '..');
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  expect(Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })).toContain(name);
  // Outside src: the settings of Prisma's command, the client that it generates, and the browser tests.
  const others = ['prisma.config.ts', 'prisma/client/client.ts', 'e2e/fixtures.ts'];
  const texts = others.map((file) => readFileSync(path.join(root, file), 'utf8'));
  const imported = [
    ...imports.map(({ target }) => target),
    ...texts.flatMap((text) =>
      [...text.matchAll(/from ['"]([^'"]+)['"]/g)].map((match) => `npm:${match[1]}`),
    ),
  ];
  const own = (target: string) => target === `npm:${name}` || target.startsWith(`npm:${name}/`);
  expect(imported.some(own)).toBe(true);
});

// Requests that are not TanStack Query's: whether the server responds at all, the network that the demo breaks, and a server
// component that asks the sandbox for its cards.
const ownRequests = [
  'app/(shop)/pay/[orderId]/demo/faulty-network.ts',
  'app/(shop)/pay/[orderId]/demo/order-network.ts',
  'app/(shop)/pay/cards.ts',
  'app/server-responds.ts',
];

test('pages talk to the server through TanStack Query', () => {
  const requests = /\b(fetch|sendBeacon)\(|\bnew (EventSource|XMLHttpRequest|WebSocket)\b/;
  const pages = listSources().filter((file) => /^(app|ui)\//.test(file) && !forTests.test(file));
  const sending = pages.filter((file) => requests.test(readFileSync(path.join(source, file), 'utf8')));
  expect(sending.sort()).toEqual(ownRequests);
  // The tRPC client itself is given to the hooks by the provider, and called by nothing else.
  const withClient = pages.filter((file) =>
    /import \{[^}]*\bapi\b[^}]*\} from '[^']*client\.ts'/.test(readFileSync(path.join(source, file), 'utf8')),
  );
  expect(withClient).toEqual(['app/trpc/provider.tsx']);
});

test('a job is enqueued in one place', () => {
  const enqueues = (file: string) =>
    /SELECT graphile_worker\.add_job/.test(readFileSync(path.join(source, file), 'utf8'));
  expect(listSources().filter((file) => !forTests.test(file) && enqueues(file))).toEqual([
    'queue/add-job.ts',
  ]);
});

// The demo bar breaks the network of the pay page, and the lab that of its clients.
const faultyNetworks = ['app/(shop)/pay/[orderId]/demo/faulty-network.ts', 'lab/lane-servers.ts'];

test('the demo bar and the lab cut a connection in the same way', () => {
  const sources = listSources().filter((file) => !forTests.test(file) && !/^(sandbox|faults)\//.test(file));
  const matching = (pattern: RegExp) =>
    sources.filter((file) => pattern.test(readFileSync(path.join(source, file), 'utf8'))).sort();
  expect(matching(/\bnew Connection\(/)).toEqual(faultyNetworks);
  expect(matching(/resetAndDestroy\(|AbortSignal\.abort\(/)).toEqual([]);
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
