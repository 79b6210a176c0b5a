import { defineConfig } from 'vitest/config';
import { SlowestFirst } from './src/run/suite/slowest-first.ts';

// They send hundreds of requests at once, which would hold up what runs beside them, and the other way round.
const loadTests = [
  'src/server/http-api/failure-matrix.system.test.ts',
  'src/server/incoming/incoming.system.test.ts',
];

// Far longer than any test takes: a busy machine is no failure.
const testTimeout = 60_000;

// Files share processes, one after another, and the set-up undoes what one has changed.
const sharedProcess = { isolate: false, setupFiles: ['src/run/testing/shared-process.ts'] };

export default defineConfig({
  // The sources hold nothing but erasable types, so the transform has no need of tsconfig.json, which Next rewrites.
  oxc: { jsx: { runtime: 'automatic' }, ...{ tsconfig: false } },
  test: {
    passWithNoTests: false,
    // One second by default, which a busy machine exceeds.
    expect: { poll: { timeout: testTimeout / 2 } },
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Sized for two cores, which these tests keep busy.
          maxWorkers: 2,
          ...sharedProcess,
          setupFiles: [...sharedProcess.setupFiles, 'src/run/testing/fresh-modules.ts'],
          sequence: { groupOrder: 0 },
          include: ['src/**/*.test.{ts,tsx}', 'prisma/**/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.system.test.ts', '**/node_modules/**'],
          testTimeout,
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          // Many files wait for processes that they have started, so more of them share two cores.
          maxWorkers: 4,
          ...sharedProcess,
          sequence: { groupOrder: 1 },
          include: ['src/**/*.db.test.ts', 'prisma/**/*.db.test.ts'],
          globalSetup: ['src/run/testing/global-setup.ts'],
          testTimeout,
          hookTimeout: testTimeout,
        },
      },
      {
        extends: true,
        test: {
          // Processes of the production build: `npm test` builds it first. They have ports and databases of their own, and wait
          // for timeouts most of the time.
          name: 'system',
          maxWorkers: 3,
          ...sharedProcess,
          sequence: { groupOrder: 2 },
          include: ['src/**/*.system.test.ts'],
          exclude: [...loadTests, '**/node_modules/**'],
          globalSetup: ['src/run/testing/global-setup.ts'],
          testTimeout,
          hookTimeout: testTimeout,
        },
      },
      {
        extends: true,
        test: {
          name: 'system-load',
          fileParallelism: false,
          ...sharedProcess,
          sequence: { groupOrder: 3 },
          include: loadTests,
          globalSetup: ['src/run/testing/global-setup.ts'],
          testTimeout,
          hookTimeout: testTimeout,
        },
      },
    ],
  },
});
