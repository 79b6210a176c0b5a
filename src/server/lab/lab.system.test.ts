import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunView } from '#lab/index.ts';
import { scenarios } from '#lab/scenarios.ts';
import { type AppProcess, openSystem, type System } from '../testing/app-process.ts';

let system: System;
beforeAll(async () => {
  system = await openSystem();
});
afterAll(() => system.close());

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
};

async function ask<T>(app: AppProcess, procedure: string, input: object, method: 'GET' | 'POST' = 'GET') {
  const url = new URL(`/api/trpc/${procedure}`, app.url);
  if (method === 'GET') url.searchParams.set('input', JSON.stringify(input));
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(input),
    }),
  });
  const { result } = (await response.json()) as { result?: { data: T } };
  return { status: response.status, data: result?.data as T };
}

async function run(
  app: AppProcess,
  input: { scenario: string; seed: number; cut?: string },
): Promise<RunView> {
  const { data } = await ask<{ runId: string }>(app, 'lab.start', input, 'POST');
  for (;;) {
    const { data: view } = await ask<RunView>(app, 'lab.read', { runId: data.runId });
    if (view.status !== 'running') return view;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The processes' times agree, so the provider has answered no more often than it was asked, at any point of the trace. */
function expectAnswersAfterRequests(trace: RunView['lanes']['protected']['trace']): void {
  // A storm's events are drawn together, at the time of the first of them.
  if (trace.some(({ times }) => times > 1)) return;
  let unanswered = 0;
  for (const { from, to, kind, text } of trace) {
    if (to === 'provider') unanswered += 1;
    if (from === 'provider' && kind !== 'webhook') unanswered -= 1;
    expect(unanswered, `“${text}” is an answer without a request`).toBeGreaterThanOrEqual(0);
  }
}

describe('on the embedded default', () => {
  let app: AppProcess;
  let worker: AppProcess;
  beforeAll(async () => {
    // The first app has the address that the sandbox sends its webhooks to.
    app = await system.startApp({ PAIDONCE_EMBEDDED: 'true' });
    worker = await system.startWorker({ PAIDONCE_EMBEDDED: 'true' });
  });
  afterAll(() => Promise.all([app.kill('SIGTERM'), worker.kill('SIGTERM')]));

  test.each(scenarios.map(({ name }) => [name]))(
    '%s: the protected lane keeps its promise, and the naive lane is honest',
    { timeout: 120_000 },
    async (scenario) => {
      const view = await run(app, { scenario, seed: 7 });
      expect(view).toMatchObject({ status: 'finished', error: null });
      expect(view.verdict).toMatchObject({ kept: true, naiveAsExpected: true });
      // What is drawn is what happened: each charge of the ledger is an arrow.
      for (const lane of [view.lanes.protected, view.lanes.naive]) {
        const drawn = lane.trace
          .filter(({ kind }) => kind === 'charge')
          .reduce((sum, { times }) => sum + times, 0);
        expect(drawn).toBe(lane.charges.length);
        expectAnswersAfterRequests(lane.trace);
      }
    },
  );

  test('no record of the lab is stuck afterwards', async () => {
    const tenant = await system.db.organization.findUniqueOrThrow({ where: { slug: 'lab' } });
    const open = await system.db.$queryRaw<{ status: string; key: string }[]>`
      SELECT status, key FROM operation
      WHERE tenant_id = ${tenant.id} AND status IN ('in_progress', 'unknown')`;
    expect(open).toEqual([]);
  });

  test.each(['after_claim', 'after_intent', 'after_confirm_sent', 'before_commit'])(
    'a server killed %s charges once, and the naive one as often as it must',
    { timeout: 120_000 },
    async (cut) => {
      const view = await run(app, { scenario: 'server-killed', seed: 11, cut });
      expect(view).toMatchObject({ cut, verdict: { kept: true, naiveAsExpected: true } });
    },
  );

  test('the same seed has the same amounts', async () => {
    const [one, other] = [
      await run(app, { scenario: 'drop-before-send', seed: 99 }),
      await run(app, { scenario: 'drop-before-send', seed: 99 }),
    ];
    expect(one.lanes.protected.totalMinor).toBe(other.lanes.protected.totalMinor);
    expect(one.lanes.protected.keys[0]?.key).not.toBe(other.lanes.protected.keys[0]?.key);
  });

  test('a second run at the same time is refused', async () => {
    const input = { scenario: 'silent-after-charging', seed: 1 };
    const first = await ask<{ runId: string }>(app, 'lab.start', input, 'POST');
    const second = await ask(app, 'lab.start', input, 'POST');
    expect([first.status, second.status]).toEqual([200, 409]);
    await expect
      .poll(async () => (await ask<RunView>(app, 'lab.read', first.data)).data.status, { timeout: 60_000 })
      .toBe('finished');
  });

  test('the X-ray shows a misuse of a key of the lab, and no key of another tenant', async () => {
    const view = await run(app, { scenario: 'other-amount', seed: 5 });
    const key = view.lanes.protected.keys[0]?.key ?? '';
    const { data } = await ask<object>(app, 'lab.xRay', { key });
    expect(data).toMatchObject({
      status: 'completed',
      misuses: [{ kind: 'command', times: 1, fields: [expect.stringContaining('amountMinor')] }],
    });
    const foreign = 'a-key-of-another-tenant';
    await fetch(`${app.url}/api/v1/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${system.tenants[0].apiKeys[0]}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': foreign,
      },
      body: JSON.stringify({
        amountMinor: 100,
        currency: 'eur',
        paymentMethod: 'pm_card_visa',
        reference: foreign,
      }),
    });
    expect((await ask(app, 'lab.xRay', { key: foreign })).data).toBeNull();
  });

  test('a cut that the scenario does not have is refused', async () => {
    const input = { scenario: 'late-owner', seed: 7, cut: 'before_send' };
    expect((await ask(app, 'lab.start', input, 'POST')).status).toBe(400);
  });
});

describe('the lab, its page and its procedures', () => {
  test.each([
    ['do not exist on a database of one’s own', {}],
    ['do not exist where the provider is Stripe', { PAIDONCE_EMBEDDED: 'true', ...stripe }],
  ])('%s', async (_, env) => {
    const app = await system.startApp(env as Record<string, string>);
    const pages = await Promise.all(
      ['/lab', '/lab/double-click', '/lab/x-ray'].map((path) => fetch(`${app.url}${path}`)),
    );
    expect(pages.map(({ status }) => status)).toEqual([404, 404, 404]);
    const start = await ask(app, 'lab.start', { scenario: 'double-click', seed: 7 }, 'POST');
    const read = await ask(app, 'lab.scenarios', {});
    expect([start.status, read.status]).toEqual([404, 404]);
    const home = await (await fetch(app.url)).text();
    expect(home).not.toMatch(/<body[^>]*data-demo/);
    await app.kill('SIGTERM');
  });
});
