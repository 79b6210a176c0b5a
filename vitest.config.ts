import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The sources hold nothing but erasable types, so the transform has no need of tsconfig.json, which Next rewrites.
  oxc: { jsx: { runtime: 'automatic' }, ...{ tsconfig: false } },
  test: {
    passWithNoTests: false,
    // Sized for two cores: more workers than that only take turns.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}', 'prisma/**/*.test.ts'],
          exclude: ['**/*.db.test.ts', '**/*.system.test.ts', '**/node_modules/**'],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: ['src/**/*.db.test.ts', 'prisma/**/*.db.test.ts'],
          globalSetup: ['src/run/testing/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          // Processes of the production build: `npm test` builds it first. One file at a time: each starts several.
          name: 'system',
          include: ['src/**/*.system.test.ts'],
          globalSetup: ['src/run/testing/global-setup.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
