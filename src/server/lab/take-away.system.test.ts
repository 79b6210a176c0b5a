import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childEnvironment } from '#run/testing/child-environment.ts';
import { settingNames } from '../env.ts';
import { type AppProcess, openSystem, type System } from '../testing/app-process.ts';

/** The lab without its page: the command line, and the shell script that a run is exported as. */

const stripe = {
  STRIPE_SECRET_KEY: 'sk_test_x',
  STRIPE_WEBHOOK_SECRET: 'whsec_x',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
};
const embedded = { PAIDONCE_EMBEDDED: 'true' };
let system: System;
let app: AppProcess;
let dataDirectory: string;

beforeAll(async () => {
  system = await openSystem();
  // The first app has the address that the sandbox sends its webhooks to.
  app = await system.startApp(embedded);
  await system.startWorker(embedded);
  // The command finds the running installation by the file that `npm start` writes.
  dataDirectory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-lab-cli-'));
  writeFileSync(path.join(dataDirectory, 'demo.json'), JSON.stringify({ urls: { app: app.url } }));
});
afterAll(async () => {
  rmSync(dataDirectory, { recursive: true, force: true });
  await system.close();
});

async function lab(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return labIn({}, ...args);
}

async function labIn(
  settings: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = spawn(process.execPath, ['src/run/lab.ts', ...args], {
    env: {
      // An empty setting counts as unset, and overrides the developer's own .env.
      ...Object.fromEntries(settingNames.map((name) => [name, ''])),
      NODE_ENV: 'production',
      ...childEnvironment(),
      DATA_DIR: dataDirectory,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(command.stdout),
    text(command.stderr),
    once(command, 'exit'),
  ]);
  return { code, stdout, stderr };
}

describe('npm run lab', () => {
  test('runs scenarios and prints what the bank’s ledger says as JSON', async () => {
    const { code, stdout, stderr } = await lab('double-click', 'drop-after-send', '--seed', '7', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const once = { kept: true, naiveAsExpected: true, protected: { charges: 1 }, naive: { charges: 2 } };
    expect(JSON.parse(stdout)).toMatchObject([
      { scenario: 'double-click', seed: 7, cut: null, status: 'finished', ...once },
      { scenario: 'drop-after-send', seed: 7, cut: 'before_response', status: 'finished', ...once },
    ]);
  });

  test('moves the cut, and says in one sentence what became of it', async () => {
    const { code, stdout } = await lab('server-killed', '--cut', 'before_commit');
    expect(stdout).toMatch(
      /^✓ server-killed .* 1 charge with Paidonce, 2 charges without: €[\d.]+ too much\.$/m,
    );
    expect(code).toBe(0);
  });

  test('exits with 1 when the protected lane was charged twice', async () => {
    const running = lab('silent-after-charging', '--json');
    await chargeAgain();
    const { code, stdout } = await running;
    expect(JSON.parse(stdout)).toMatchObject([
      { scenario: 'silent-after-charging', kept: false, protected: { charges: 2, expected: 1 } },
    ]);
    expect(code).toBe(1);
  });

  test.each([
    [[], 'Name a scenario'],
    [['no-such-scenario'], 'There is no scenario "no-such-scenario"'],
    [['double-click', '--seed', 'seven'], '--seed must be a whole number'],
    [['double-click', '--speed', '7'], "Unknown option '--speed'"],
    [['server-killed', '--cut', 'at_lunch'], '--cut must be one of before_send'],
    [['double-click', '--cut', 'after_claim'], 'double-click has no cut'],
    [['late-owner', '--cut', 'before_send'], 'The fault of late-owner strikes at one of after_claim'],
  ])('exits with 2 and one sentence when it is called with %j', async (args, sentence) => {
    const { code, stdout, stderr } = await lab(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr.trim()).not.toContain('\n');
  });
});

test.each([
  ['on a database of one’s own', { DATABASE_URL: 'postgresql://user:password@127.0.0.1:1/shop' }],
  ['where the provider is Stripe', stripe],
])('npm run lab does nothing %s', async (_, settings) => {
  const { code, stdout, stderr } = await labIn(settings, 'double-click');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('There is no lab here');
});

/** What must not happen: while the lab's payment is under way, the bank takes the same money once more. */
async function chargeAgain(): Promise<void> {
  const payment = await untilLabPayment();
  const call = async (route: string, form: Record<string, string>) => {
    const response = await fetch(`${system.sandbox.url}/v1/payment_intents${route}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${system.sandbox.secretKey}` },
      body: new URLSearchParams(form),
    });
    expect(response.status).toBe(200);
    return (await response.json()) as { id: string };
  };
  const { id } = await call('', {
    amount: '1000',
    currency: 'eur',
    payment_method: 'pm_card_visa',
    'metadata[reference]': payment.reference,
    'metadata[paidonce_tenant]': payment.tenantId,
  });
  await call(`/${id}/confirm`, { return_url: 'https://shop.example/' });
}

async function untilLabPayment(): Promise<{ tenantId: string; reference: string }> {
  for (;;) {
    const payment = await system.db.payment.findFirst({
      where: { status: 'pending', reference: { startsWith: 'lab-' } },
    });
    if (payment) return payment;
    await delay(20);
  }
}

describe('the shell script of a run', () => {
  test.each(['double-click', 'silent-before-charging', 'drop-after-send', 'expired-key'])(
    '%s: runs, and ends with one charge',
    async (scenario) => {
      const url = new URL('/api/trpc/lab.exports', app.url);
      url.searchParams.set('input', JSON.stringify({ scenario, seed: 7 }));
      const { result } = (await (await fetch(url)).json()) as { result: { data: { curl: string } } };
      const env = {
        NODE_ENV: 'test' as const,
        PATH: process.env.PATH ?? '',
        API_KEY: system.tenants[0].apiKeys[0],
      };
      const script = path.join(dataDirectory, 'lab.sh');
      writeFileSync(script, result.data.curl);
      // Rejects unless the script exits with 0.
      const { stdout } = await promisify(execFile)('sh', [script], { env });
      const last = stdout.trim().split('\n').at(-1) ?? '';
      if (last.startsWith('{')) expect(JSON.parse(last).data.map(statusOf)).toContain('succeeded');
      else expect(last).toMatch(/^1 charge with Paidonce, 2 charges without/);
    },
  );
});

test('the README’s request, sent twice, gets the same bytes twice', async () => {
  const [, command = ''] = /```sh\n(curl -i .*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? [];
  const env = {
    NODE_ENV: 'test' as const,
    PATH: process.env.PATH ?? '',
    API_KEY: system.tenants[0].apiKeys[0],
  };
  const send = async () => {
    const script = command.replace('curl -i', 'curl -sSi').replace('http://127.0.0.1:3000', app.url);
    const [head = '', body = ''] = (await promisify(execFile)('sh', ['-c', script], { env })).stdout.split(
      '\r\n\r\n',
    );
    return { status: head.split(' ')[1], replayed: /^idempotent-replayed: true/im.test(head), body };
  };
  const first = await send();
  expect(first).toMatchObject({ status: '201', replayed: false });
  expect(await send()).toEqual({ ...first, replayed: true });
});

function statusOf({ status }: { status: string }): string {
  return status;
}
