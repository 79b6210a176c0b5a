import type { Browser, BrowserContextOptions, Page } from 'playwright/test';
import { openWholePage } from './whole-page.ts';

/** A plain text of the app: a page of its origin on which no script runs. */
const emptyPath = '/robots.txt';

/** What tests listen to. */
const events = ['console', 'request', 'requestfailed', 'requestfinished', 'response'] as const;

/**
 * Pages that each test gets as if they were new, in a browser context of their own, and that are kept for the next test. A
 * new context begins without a process, files and compiled scripts, so that its first page takes the processor twice as long.
 */
export class KeptPages {
  readonly #browser: Browser;
  readonly #appUrl: string;
  /** By the options of their context. */
  readonly #free = new Map<string, Page[]>();
  /** Pages that a test has changed in a way that cannot be undone. */
  readonly #spent = new WeakSet<Page>();

  constructor(browser: Browser, appUrl: string) {
    this.#browser = browser;
    this.#appUrl = appUrl;
  }

  async take(options: BrowserContextOptions): Promise<Page> {
    return this.#freeWith(options).pop() ?? this.#open(options);
  }

  /** Nothing that a test has stored, routed, emulated or listened to is left for the next one. */
  async giveBack(page: Page, options: BrowserContextOptions): Promise<void> {
    const context = page.context();
    if (page.isClosed() || this.#spent.has(page)) {
      await context.close();
      return;
    }
    for (const event of events) {
      page.removeAllListeners(event);
      context.removeAllListeners(event);
    }
    await Promise.all(context.pages().map((other) => other !== page && other.close()));
    await context.setOffline(false);
    // Of the same origin, because the browser opens another one in a new process. What the page does at its end is over then.
    await page.goto(this.#appUrl + emptyPath);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await Promise.all([
      page.unrouteAll({ behavior: 'ignoreErrors' }),
      context.unrouteAll({ behavior: 'ignoreErrors' }),
      context.clearCookies(),
      context.clearPermissions(),
      page.setViewportSize({ width: 1280, height: 720 }),
      page.emulateMedia({
        media: null,
        colorScheme: 'light',
        reducedMotion: options.reducedMotion ?? null,
        forcedColors: null,
        contrast: null,
      }),
    ]);
    this.#freeWith(options).push(page);
  }

  #freeWith(options: BrowserContextOptions): Page[] {
    const name = JSON.stringify(options);
    const free = this.#free.get(name) ?? [];
    this.#free.set(name, free);
    return free;
  }

  async #open(options: BrowserContextOptions): Promise<Page> {
    const page = await openWholePage(await this.#browser.newContext({ ...options, baseURL: this.#appUrl }));
    this.#noteUse(page, page, 'addInitScript');
    this.#noteUse(page, page, 'exposeFunction');
    this.#noteUse(page, page.clock, 'install');
    return page;
  }

  /** What these methods do to a page lasts as long as the page. */
  #noteUse<Owner extends object>(page: Page, owner: Owner, name: keyof Owner & string): void {
    const method = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, (...args: unknown[]) => {
      this.#spent.add(page);
      return Reflect.apply(method, owner, args);
    });
  }
}
