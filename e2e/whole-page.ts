import type { BrowserContext, Page } from 'playwright/test';

/**
 * A page whose `goto` and `reload` return when React has put streamed content in its place. Until then the content may stand in
 * the document twice, once of it hidden, and a text that is found twice fails a test.
 */
export async function openWholePage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const { goto, reload } = { goto: page.goto.bind(page), reload: page.reload.bind(page) };
  const untilWhole = () => page.waitForFunction(() => !document.querySelector('[hidden][id^="S:"]'));
  page.goto = async (...args) => {
    const response = await goto(...args);
    await untilWhole();
    return response;
  };
  page.reload = async (...args) => {
    const response = await reload(...args);
    await untilWhole();
    return response;
  };
  return page;
}
