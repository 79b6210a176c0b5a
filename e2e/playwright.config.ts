import { defineConfig } from 'playwright/test';

const executablePath = process.env.PAIDONCE_BROWSER;

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // Each has a browser and an installation of its own. Three keep two cores busy, because a third of a test's time is waiting:
  // for a timeout, for a round of checks, for the time until the next try.
  workers: 3,
  fullyParallel: false,
  // A test that passes only when it is run again has found a bug.
  retries: 0,
  forbidOnly: process.env.CI !== undefined,
  // Longer than any wait of a test that passes, also on a machine that does other work at the same time.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [['list']],
  use: {
    browserName: 'chromium',
    // A spinner is drawn sixty times a second by the processor that the tests need. Tests about motion turn it on.
    contextOptions: { reducedMotion: 'reduce' },
    // A trace is recorded whether the test fails or not, which doubles its time. PAIDONCE_TRACE=1 turns it on.
    trace: process.env.PAIDONCE_TRACE ? 'retain-on-failure' : 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath !== undefined && { executablePath }),
      args: [
        // Chromium's sandbox does not work as root, and needs rights that containers do not have.
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // A software GPU would occupy a core that the tests need.
        '--disable-gpu',
        '--disable-features=WebUITabStrip,SidePanelPinning,InitialWebUI,WebUIToolbar',
      ],
    },
  },
});
