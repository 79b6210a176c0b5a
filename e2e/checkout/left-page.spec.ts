import { type MailServer, openMailServer } from '#payments/outbox/testing/mail-server.ts';
import { expect, placeOrder, test } from '../fixtures.ts';
import { type RunningApp, readyWithinMs, startApp } from '../running-app.ts';

/** A second installation that sends e-mails, to a real SMTP server. */
let mail: MailServer;
let app: RunningApp;

test.beforeAll(async () => {
  test.setTimeout(readyWithinMs);
  mail = await openMailServer();
  app = await startApp({
    PROVIDER_TIMEOUT_MS: '2000',
    LEASE_MS: '6000',
    SMTP_URL: mail.settings.smtpUrl,
    MAIL_FROM: mail.settings.from,
  });
});
test.beforeEach(() => {
  mail.received.length = 0;
});
test.afterAll(async () => {
  await app?.stop();
  await mail?.stop();
});

for (const [outcome, card, sentence] of [
  ['the receipt', 'pm_fault_processing', 'Thank you. Acme Coffee has your payment, exactly once.'],
  [
    'that nothing was charged',
    'pm_fault_not_charged_500',
    'The payment did not happen, and nothing was charged.',
  ],
] as const) {
  test(`a shopper leaves while the payment is being checked, and gets ${outcome} by e-mail once the bank answers`, async ({
    page,
  }) => {
    await page.goto(await placeOrder(page, app.url, 'acme'));
    const order = page.url().replace('/pay/', '/orders/');
    await page.getByLabel(/e-mail/i).fill('ada@example.com');
    await page.getByText('Break something').click();
    await page.locator(`input[value=${card}]`).check({ force: true });
    await page.getByRole('button', { name: /^Pay / }).click();
    const status = page.getByRole('status').first();
    await expect(status).toContainText('we will e-mail you at ada@example.com as soon as your bank answers');
    await expect(page.getByRole('link', { name: 'help@acme.example' })).toBeVisible();
    await page.goto('about:blank');

    const [received] = await mail.receive(1);
    expect(received?.to).toEqual(['ada@example.com']);
    // Long lines are broken for the transport.
    const text = received?.raw.replaceAll('=\r\n', '');
    expect(text).toContain(sentence);
    expect(text).toContain('help@acme.example');
    const shown = page.getByText(outcome === 'the receipt' ? 'Sent to ada@example.com' : 'Not paid yet');
    // That it was sent is committed right after the mail server has taken it.
    await expect(async () => {
      await page.goto(order);
      await expect(shown).toBeVisible({ timeout: 1_000 });
    }).toPass();
  });
}
