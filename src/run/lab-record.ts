import { writeFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { findBrowser } from './browser.ts';
import { inCheckout } from './checkout.ts';
import { openInstallation } from './lab-installation.ts';
import { PlainError } from './plain-error.ts';
import { step } from './progress.ts';
import { print, runCommand } from './terminal.ts';

const help = `Usage: npm run record

Records the README's moving picture from the running lab: a double click and a network drop, step by step, and a still of the
end. Writes .github/images/lab.webp and lab.png.`;

const scenes = ['double-click?seed=42', 'drop-after-send?seed=42'];
const maxBytes = 1_500_000;
/** Text stays sharp on screens with more pixels, and the file within its limit. */
const scale = 1.5;
const frame = { width: 900, height: 748 };

/** A reader needs longer for a charge or a fault than for a step, and longest for the result. */
const delayMs = { step: 130, notable: 900, end: 4_000 };

/** Title, result and lanes, without what surrounds them. The result is hidden until the end, because it gives the end away. */
const style = `
  header, footer, nav[aria-label="Scenarios"], [role=toolbar], [data-lane] details, p:has(+ h1),
  div:has(+ [data-stage]), [data-stage] + section { display: none !important; }
  h1 { margin: 0 !important; font-size: 30px !important; }
  h1 + p { margin-top: 4px !important; max-width: none !important; font-size: 17px !important; }
  nav[aria-label="Scenarios"] + div { grid-column: 1 / -1; width: ${frame.width - 48}px; }
  main { margin: 0 !important; padding: 24px !important; max-width: none !important; }
  [data-lane] [role=img] { height: 264px; overflow: hidden; }
  html:not([data-ended]) [role=status] { visibility: hidden; }`;

interface Frame {
  readonly png: Buffer;
  readonly delayMs: number;
}

async function recordScene(page: Page, url: string): Promise<Frame[]> {
  await page.goto(url);
  // The first run starts the lanes' servers, which then are not equally fast. The second is recorded.
  for (const verdict of ['none', 'kept']) {
    await page.locator(`[data-verdict=${verdict}]`).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.locator('[data-verdict=running]').waitFor();
    await page.locator('[data-verdict=kept]').waitFor({ timeout: 120_000 });
  }
  const bar = page.getByRole('toolbar', { name: 'Replay' });
  await bar.getByRole('button', { name: 'To the beginning' }).click();
  await page.addStyleTag({ content: style });
  // Hidden buttons cannot be clicked with the mouse.
  const forward = page.locator('[role=toolbar] button[aria-label="One step forward"]');
  const shoot = (): Promise<Buffer> =>
    page.screenshot({ clip: { x: 0, y: 0, ...frame }, animations: 'disabled' });
  const frames: Frame[] = [{ png: await shoot(), delayMs: delayMs.notable }];
  let notable = await readNotable(page);
  while (await forward.isEnabled()) {
    await forward.dispatchEvent('click');
    const now = await readNotable(page);
    frames.push({ png: await shoot(), delayMs: now === notable ? delayMs.step : delayMs.notable });
    notable = now;
  }
  await page.evaluate('document.documentElement.dataset.ended = ""');
  return [...frames, { png: await shoot(), delayMs: delayMs.end }];
}

/** The charges in the bank's ledger and the faults so far. */
async function readNotable(page: Page): Promise<string> {
  const ledgers = await page.locator('[data-lane] h3').allTextContents();
  const faults = await page.locator('[data-lane] svg text.fill-danger').count();
  return [...ledgers, faults].join();
}

async function recordAll(browser: Browser, url: string): Promise<Frame[]> {
  const page = await browser.newPage({
    // The lanes are side by side from this width on.
    viewport: { width: 1300, height: 1000 },
    deviceScaleFactor: scale,
    colorScheme: 'light',
  });
  const frames: Frame[] = [];
  for (const scene of scenes) frames.push(...(await recordScene(page, `${url}/lab/${scene}`)));
  return frames;
}

async function record(args: string[]): Promise<void> {
  if (args.length > 0) throw new PlainError(`"${args[0]}" is not an option; --help explains the command.`);
  const installation = await openInstallation();
  try {
    const executablePath = await findBrowser(print);
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
    const frames = await step('recording', () => recordAll(browser, installation.url)).finally(() =>
      browser.close(),
    );
    await step('encoding', async (remark) => {
      const webp = await sharp(
        frames.map(({ png }) => png),
        { join: { animated: true } },
      )
        .webp({ quality: 80, effort: 4, mixed: true, loop: 0, delay: frames.map((one) => one.delayMs) })
        .toBuffer();
      if (webp.length > maxBytes)
        throw new PlainError(`The picture has ${webp.length} bytes, more than ${maxBytes}.`);
      writeFileSync(inCheckout('.github', 'images', 'lab.webp'), webp);
      writeFileSync(inCheckout('.github', 'images', 'lab.png'), await still(frames));
      remark(`${frames.length} frames, ${Math.round(webp.length / 1000)} kB`);
    });
  } finally {
    await installation.close();
  }
}

/** The end of the first scene. */
function still(frames: readonly Frame[]): Promise<Buffer> {
  const last = frames.find((one) => one.delayMs === delayMs.end) ?? frames[0];
  return sharp(last?.png).png({ palette: true, compressionLevel: 9 }).toBuffer();
}

await runCommand(help, record);
