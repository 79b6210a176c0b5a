import type { Page } from 'playwright/test';
import { expectAccessible, expectAccessibleEverywhere } from '../accessible.ts';
import type { RunningApp } from '../running-app.ts';
import { inDatabase } from './database.ts';
import { payByApi, payUnknown } from './pay-by-api.ts';
import { expect, openOperation, test } from './sign-in-as.ts';

test('a link to a page of the console survives the sign-in, with its parameters', async ({
  demo,
  openPage,
}) => {
  const { operationId, reference } = await payByApi(demo);
  const operator = demo.tenants.find(({ slug }) => slug === 'acme')?.operator;
  const page = await openPage();
  await page.goto(`/admin/operations/${operationId}`);
  await expect(page.getByText('Your session has ended.')).toHaveCount(0);
  await page.getByLabel(/e-mail/i).fill(operator?.email ?? '');
  await page.getByLabel(/password/i).fill(operator?.password ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: reference })).toBeVisible();

  // The session ends elsewhere. An open page would find out by itself, and go to the sign-in while this one is being loaded.
  await page.goto('about:blank');
  await page.context().clearCookies({ name: /session_token/ });
  await page
    .context()
    .addCookies([{ name: 'better-auth.session_token', value: 'over.and-out', url: demo.urls.app }]);
  await page.goto('/admin/operations?status=unknown&sort=unknown');
  await expect(page.getByText('Your session has ended.')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel(/e-mail/i).fill(operator?.email ?? '');
  await page.getByLabel(/password/i).fill(operator?.password ?? '');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page).toHaveURL(/\/admin\/operations\?status=unknown&sort=unknown$/);
});

test('on the embedded default one click signs in as an operator', async ({ demo, openPage }) => {
  const page = await openPage();
  await page.goto('/admin/queue');
  await expectAccessibleEverywhere(page);
  await page.getByRole('button', { name: 'Enter as operator' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Operators’ queue' })).toBeVisible();
  // A form of another site signs no one in.
  const forged = await fetch(`${demo.urls.app}/admin/sign-in/demo`, {
    method: 'POST',
    headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
    body: 'role=operator',
    redirect: 'manual',
  });
  expect([403, 404]).toContain(forged.status);
});

test('an address without a page, and what does not exist, are missing with the status 404 and within the console', async ({
  signInAs,
}) => {
  const page = await signInAs('viewer');
  const paths = ['/admin/no-such-page', '/admin/operations/not-an-id'];
  for (const section of ['operations', 'payments', 'webhooks', 'outbox'])
    paths.push(`/admin/${section}/00000000-0000-4000-8000-000000000000`);
  for (const path of paths) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(404);
    await expect(page.getByRole('heading', { name: 'There is nothing at this address' })).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Console' })).toBeVisible();
  }
  await expectAccessible(page);
});

test('what needs a person is one number: on the overview, in the navigation and in the tab’s title, and it changes by itself', async ({
  demo,
  app,
  signInAs,
  stalledWorker: _,
}) => {
  const { operationId } = await payUnknown(demo);
  const page = await signInAs('operator');
  const readings: string[] = [];
  page.on('request', (request) => {
    if (/overview\.attention/.test(request.url())) readings.push(request.url());
  });
  await page.goto('/admin');
  const tile = page.getByRole('region', { name: 'Needs a person' });
  const before = Number(await tile.getByRole('status').textContent());
  await inDatabase(app, (client) =>
    client.query(
      'UPDATE idempotency_record SET escalated_at = now(), next_check_at = NULL WHERE id = $1::uuid',
      [operationId],
    ),
  );
  await expect(tile.getByRole('status')).toHaveText(String(before + 1));
  await expect(page).toHaveTitle(new RegExp(`^\\(${before + 1}\\) Overview`));
  await expect(page.getByRole('link', { name: /^Queue \d+ waiting/ })).toBeVisible();
  // Three places show it, and it is read once for all of them.
  expect(readings).not.toHaveLength(0);
  expect(readings.filter((url) => /attention.*attention/.test(url))).toEqual([]);
  await expectAccessibleEverywhere(page);

  // Snoozed, it waits for no one until its time is over.
  await page.goto(`/admin/operations/${operationId}`);
  await page.getByRole('button', { name: 'Snooze for 1 hour' }).click();
  await expect(page.getByText(/Out of the queue until/)).toBeVisible();
  await page.goto('/admin/queue?snoozed=1');
  await expect(page.locator(`[data-operation="${operationId}"]`)).toContainText('Snoozed until');
  await expectAccessible(page);
});

test('a note and an assignee are kept, and next and previous lead through the unknown operations', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const [first, second] = [await payUnknown(demo), await payUnknown(demo)];
  const page = await signInAs('operator');
  await openOperation(page, first.reference);
  await page.getByRole('textbox', { name: 'Note', exact: true }).fill('The bank calls back at nine.');
  await page.getByRole('button', { name: 'Add note' }).click();
  const actions = page.getByRole('region', { name: 'Operator actions' });
  await expect(actions).toContainText('The bank calls back at nine.');
  const assignee = page.getByLabel('Assigned to');
  const [, operator] = await assignee.locator('option').allTextContents();
  await assignee.selectOption({ label: operator ?? '' });
  await expect(actions).toContainText('Assigned');
  await expectAccessibleEverywhere(page);
  await page.getByRole('link', { name: 'Next unknown' }).click();
  await expect(page.getByRole('heading', { level: 1, name: second.reference })).toBeVisible();
  await page.getByRole('link', { name: 'Previous unknown' }).click();
  await expect(page.getByRole('heading', { level: 1, name: first.reference })).toBeVisible();
});

test('paused checks are on every page, for every operator, until they are resumed', async ({ signInAs }) => {
  const page = await signInAs('operator');
  await page.goto('/admin/operations');
  await pauseChecks(page);
  try {
    const colleague = await signInAs('viewer');
    for (const path of ['/admin', '/admin/payments', '/admin/members']) {
      await colleague.goto(path);
      await expect(bannerOf(colleague)).toBeVisible();
    }
    await expect(colleague.getByRole('button', { name: 'Resume checks' })).toHaveCount(0);
    await expectAccessibleEverywhere(colleague);
    await page.getByRole('button', { name: 'Resume checks' }).click();
    await expect(bannerOf(page)).toHaveCount(0);
    await colleague.reload();
    await expect(bannerOf(colleague)).toHaveCount(0);
  } finally {
    await resumeChecks(page);
  }
});

test('while checks are paused an unknown outcome stays unknown, another shop’s is resolved, and resuming resolves it', async ({
  demo,
  app,
  signInAs,
  webhooks,
}) => {
  const page = await signInAs('operator');
  await page.goto('/admin/operations');
  await pauseChecks(page);
  try {
    // A webhook would resolve it: only the checks are paused.
    await webhooks(false);
    const paused = await payUnknown(demo);
    const isDue = () => isCheckDue(app, paused.operationId);
    await expect.poll(isDue).toBe(true);
    // The other shop's payment is resolved by a round of checks in which this one is due as well.
    const checked = await payUnknown(demo, { shop: 'globex' });
    await expect.poll(() => statusOf(app, checked.operationId)).toBe('completed');
    expect(await statusOf(app, paused.operationId)).toBe('unknown');
    await page.goto(`/admin/operations?reference=${paused.reference}`);
    const row = page.getByRole('row').filter({ hasText: paused.reference });
    await expect(row).toContainText('Unknown');
    await page.getByRole('button', { name: 'Resume checks' }).click();
    await expect(row).toContainText('Paid');
  } finally {
    await resumeChecks(page);
  }
});

test('the list of operations is loaded by few requests, and its links load nothing ahead', async ({
  demo,
  signInAs,
}) => {
  for (let count = 0; count < 5; count++) await payByApi(demo);
  const page = await signInAs('operator');
  await page.goto('/admin/operations');
  await expect(page.locator('[data-operation]').first()).toBeVisible();
  const requests: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    const isFile = !pathname.startsWith('/api/') && /\.\w+$/.test(pathname);
    if (!pathname.startsWith('/_next/') && !isFile) requests.push(pathname + search);
  });
  await page.reload();
  await expect(page.locator('[data-operation]').first()).toBeVisible();
  // The stream is opened by effects, so the page is hydrated and its links are observed. Next loads a link ahead when its own
  // observer reports that it is visible; an observer that is created later reports later.
  await expect.poll(() => requests.some((one) => one.includes('operations.changes'))).toBe(true);
  await page.locator('[data-operation] a').first().evaluate(untilSeen);
  // The page, the stream of changes, and what the stream has read again when it begins.
  expect(requests.length, requests.join('\n')).toBeLessThanOrEqual(5);
  expect(requests.filter((one) => one.includes('_rsc'))).toEqual([]);
});

test('a stream that is cut and restored keeps the rows true', async ({
  demo,
  signInAs,
  stalledWorker: _,
}) => {
  const unknown = await payUnknown(demo);
  const page = await signInAs('operator');
  await page.goto(`/admin/operations?reference=${unknown.reference}`);
  const row = page.getByRole('row').filter({ hasText: unknown.reference });
  await expect(row).toContainText('Unknown');
  await page.context().setOffline(true);
  const colleague = await signInAs('approver');
  await colleague.goto(`/admin/operations?reference=${unknown.reference}`);
  await colleague
    .getByRole('row')
    .filter({ hasText: unknown.reference })
    .getByRole('button', { name: 'Reconcile now' })
    .click();
  await expect(colleague.getByRole('row').filter({ hasText: unknown.reference })).toContainText('Paid');
  await expect(row).toContainText('Unknown');
  await page.context().setOffline(false);
  await expect(row).toContainText('Paid');
});

const bannerOf = (page: Page) => page.getByText('Automatic checks are paused', { exact: true });

async function pauseChecks(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Pause checks' }).click();
  await page.getByRole('alertdialog').getByRole('textbox').fill('The bank has an incident.');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Pause checks' }).click();
  await expect(bannerOf(page)).toBeVisible();
}

/** The tests that follow have the same shop. */
async function resumeChecks(page: Page): Promise<void> {
  const resume = page.getByRole('button', { name: 'Resume checks' });
  if (await resume.isVisible()) await resume.click();
  await expect(bannerOf(page)).toHaveCount(0);
}

function statusOf(app: RunningApp, operationId: string): Promise<string | undefined> {
  return inDatabase(app, async (client) => {
    const { rows } = await client.query<{ status: string }>(
      'SELECT status FROM idempotency_record WHERE id = $1::uuid',
      [operationId],
    );
    return rows[0]?.status;
  });
}

/** By the database's clock, as for the poller. */
function isCheckDue(app: RunningApp, operationId: string): Promise<boolean | undefined> {
  return inDatabase(app, async (client) => {
    const { rows } = await client.query<{ due: boolean }>(
      `SELECT status = 'unknown' AND next_check_at <= clock_timestamp() AS due FROM idempotency_record WHERE id = $1::uuid`,
      [operationId],
    );
    return rows[0]?.due;
  });
}

/** Resolves when the browser has reported the element as visible, and has nothing else to do. */
function untilSeen(element: Element): Promise<void> {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver(() => {
      observer.disconnect();
      requestIdleCallback(() => resolve());
    });
    observer.observe(element);
  });
}
