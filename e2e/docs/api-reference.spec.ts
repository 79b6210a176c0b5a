import { expect, test } from '../fixtures.ts';

test('the reference documents every operation, and its first curl command pays in the demo', async ({
  page,
  demo,
  charges,
}) => {
  await page.goto(demo.urls.app);
  await page.getByRole('contentinfo').getByRole('link', { name: 'API reference' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'API reference' })).toBeVisible();
  for (const name of ['Create a payment', 'Refund a payment', 'Read a payment', 'Read an operation']) {
    await expect(page.getByRole('heading', { level: 2, name })).toBeVisible();
  }
  await expect(page.getByRole('table', { name: 'What a repeated request gets' })).toBeVisible();

  const command = (await page.getByLabel('Create a payment: request').locator('code').textContent()) ?? '';
  const reference = `docs-${Date.now()}`;
  const apiKey = demo.tenants[0]?.apiKey ?? '';
  const pasted = command.replace('po_YOUR_API_KEY', apiKey).replace('invoice-7781', reference);
  const headers = [...pasted.matchAll(/-H '([^:']+): ([^']+)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const send = () =>
    fetch(/curl (\S+)/.exec(pasted)?.[1] ?? '', {
      method: 'POST',
      headers: Object.fromEntries(headers),
      body: /-d '([^']+)'/.exec(pasted)?.[1] ?? '',
    });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(await second.text()).toBe(await first.text());
  expect(await charges(reference)).toMatchObject([{ status: 'succeeded', amount: 1200 }]);
});
