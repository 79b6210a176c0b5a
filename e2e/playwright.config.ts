import { defineConfig } from 'playwright/test';

const executablePath = process.env.PAIDONCE_BROWSER;

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  globalSetup: './global-setup.ts',
  // One house serves all specs, and some of them hold its worker still: they take turns.
  workers: 1,
  fullyParallel: false,
  // A test that passes at the second attempt has found something.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    baseURL: process.env.PAIDONCE_URL,
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      args: [
        // Chromium refuses to run as root with its sandbox, and needs rights for it that containers do not give.
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
