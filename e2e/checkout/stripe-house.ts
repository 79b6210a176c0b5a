import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inCheckout } from '../../src/run/checkout.ts';
import { findFreePort } from '../../src/run/free-port.ts';
import { markProcess } from '../../src/run/process-table.ts';
import { writeRunRecord } from '../../src/run/run-record.ts';
import { startGuardian } from '../../src/run/start-guardian.ts';
import { settingNames } from '../../src/server/env.ts';

/** A second house beside the one of all specs: set up for Stripe, with keys that nobody has. */
export async function startStripeHouse(): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-stripe-'));
  chmodSync(directory, 0o711);
  const port = await findFreePort();
  const house = spawn(process.execPath, [inCheckout('src', 'run', 'start.ts')], {
    env: {
      ...process.env,
      ...Object.fromEntries(settingNames.map((name) => [name, ''])),
      DATA_DIR: path.join(directory, 'data'),
      PORT: String(port),
      DEMO_DATA: 'true',
      STRIPE_SECRET_KEY: 'sk_test_x',
      STRIPE_WEBHOOK_SECRET: 'whsec_x',
      STRIPE_PUBLISHABLE_KEY: 'pk_test_x',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(house, 'exit');
  // Should the test be killed, the house goes with it.
  const guarded = path.join(directory, 'guarded.json');
  const guardian = startGuardian(guarded, directory);
  const [self, mark] = [markProcess(process.pid), house.pid && markProcess(house.pid)];
  if (self && mark) writeRunRecord(guarded, { supervisor: self, processes: { house: mark } });

  const ready = new Promise<void>((resolve) => {
    let said = '';
    house.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      if (said.includes('Paidonce is ready')) resolve();
    });
  });
  const stop = async () => {
    house.kill('SIGTERM');
    await ended;
    await guardian.release();
    rmSync(directory, { recursive: true, force: true });
  };
  const early = await Promise.race([ready, ended.then(([code]) => ({ code }))]);
  if (early) {
    await stop();
    throw new Error(`The house for Stripe ended with ${early.code} before it was ready.`);
  }
  return { url: `http://127.0.0.1:${port}`, stop };
}
