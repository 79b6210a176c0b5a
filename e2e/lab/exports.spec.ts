import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { inCheckout } from '#run/checkout.ts';
import { expect, test } from '../fixtures.ts';
import config from '../playwright.config.ts';

for (const scenario of ['double-click', 'drop-after-send']) {
  test(`${scenario}: the exported test passes by the command that it names`, async ({ page, demo }) => {
    test.setTimeout(150_000);
    await page.goto(`${demo.urls.app}/lab/${scenario}?seed=7`);
    await page.getByText('This run as a Playwright test and as a curl script').click();
    const code = (await page.getByRole('region', { name: 'lab.spec.js' }).textContent()) ?? '';
    expect(code).toContain('npx playwright test lab.spec.js');
    const project = createProject({ 'lab.spec.js': code });
    expect(await runPlaywright(project, 'test', 'lab.spec.js')).toMatchObject({
      output: expect.stringContaining('1 passed'),
      code: 0,
    });
    rmSync(project, { recursive: true });
  });
}

/** An adopter's project: Playwright is installed, and the browser of this machine is configured. */
function createProject(files: Record<string, string>): string {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-adopter-'));
  symlinkSync(inCheckout('node_modules'), path.join(directory, 'node_modules'), 'dir');
  const configuration = { use: { launchOptions: config.use?.launchOptions } };
  const all = {
    'package.json': '{ "private": true }',
    'playwright.config.mjs': `export default ${JSON.stringify(configuration)};\n`,
    ...files,
  };
  for (const [name, content] of Object.entries(all)) writeFileSync(path.join(directory, name), content);
  return directory;
}

/** What `npx playwright` runs. */
async function runPlaywright(project: string, ...args: string[]): Promise<{ output: string; code: number }> {
  const command = spawn(process.execPath, [path.join('node_modules', 'playwright', 'cli.js'), ...args], {
    cwd: project,
    env: { NODE_ENV: 'test', PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(command.stdout), once(command, 'exit')]);
  return { output, code };
}
