import { defineConfig } from 'playwright/test';

const executablePath = process.env.PAIDONCE_BROWSER;

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Much of a test is waiting: for a provider that does not respond, for a lease to end.
  workers: 2,
  fullyParallel: false,
  // A test that passes only at the second attempt has found a bug.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    // A trace is written while a test runs, whether it fails or not: that doubles its time. PAIDONCE_TRACE=1 asks for one.
    trace: process.env.PAIDONCE_TRACE ? 'retain-on-failure' : 'off',
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
        // Rendering with a software GPU costs a core that the tests need.
        '--disable-gpu',
        '--disable-features=WebUITabStrip,SidePanelPinning,InitialWebUI,WebUIToolbar',
      ],
    },
  },
});
