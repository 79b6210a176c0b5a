import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createPaymentInvestigator, createReconciler } from '#reconciliation/index.ts';
import { createAlertTasks, enqueueExhaustedAlert } from './exhausted-alert.ts';

let stand: PaymentStand;
let receiver: Server;
const received: Record<string, unknown>[] = [];
let status = 200;

beforeAll(async () => {
  stand = await openPaymentStand({ providerTimeoutMs: 400 });
  receiver = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)));
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(async () => {
  receiver.close();
  await stand.close();
});

function work(): Promise<void> {
  const { port } = receiver.address() as AddressInfo;
  const settings = {
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/hook?token=secret`,
    PUBLIC_URL: 'https://shop.example',
  };
  return runDueJobs(stand, createAlertTasks({ db: stand.db, settings }));
}

test('an alert is delivered once, through a receiver’s bad hour, and says what a person needs to know', async () => {
  const wish = command({ paymentMethod: 'pm_fault_charged_no_answer' });
  const outcome = await stand.pay(wish, newKey());
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId } = outcome;
  const first = { id: operationId, attempt: 1 };

  status = 500;
  await enqueueExhaustedAlert(stand.db, first);
  await enqueueExhaustedAlert(stand.db, first);
  await work();
  expect(received).toHaveLength(1);

  status = 200;
  await work();
  expect(received).toHaveLength(2);
  expect(received[1]).toEqual({
    type: 'reconciliation.exhausted',
    id: `alert_exhausted:${operationId}:1`,
    text: expect.stringContaining(operationId),
    operationId,
    operation: 'payment.create',
    tenant: expect.any(String),
    amountMinor: wish.amountMinor,
    currency: wish.currency,
    reference: wish.reference,
    ageSeconds: expect.any(Number),
    checks: 0,
    link: `https://shop.example/admin/operations/${operationId}`,
  });

  await enqueueExhaustedAlert(stand.db, first);
  await work();
  expect(received).toHaveLength(2);
});

test('nobody is told of an operation that was settled meanwhile', async () => {
  const before = received.length;
  const { operationId } = answered(await stand.pay(command(), newKey()));
  await enqueueExhaustedAlert(stand.db, { id: String(operationId), attempt: 1 });
  await work();
  expect(received).toHaveLength(before);
});

test('a second exhaustion, by the next attempt under the same key, is told again; the one before it no more', async () => {
  const wish = command({ paymentMethod: 'pm_fault_not_charged_no_answer' });
  const key = newKey();
  const outcome = await stand.pay(wish, key);
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId: id } = outcome;
  const before = received.length;
  await enqueueExhaustedAlert(stand.db, { id, attempt: 1 });
  await work();
  expect(received.slice(before)).toMatchObject([{ id: `alert_exhausted:${id}:1` }]);

  const reconciler = createReconciler({ ...stand, investigators: [createPaymentInvestigator(stand)] });
  expect(await reconciler.reconcile(id, 'operator:1')).toMatchObject({ kind: 'released' });
  await stand.pay(wish, key);
  expect(await stand.store.findById(id)).toMatchObject({ status: 'unknown', attempt: 2 });
  await enqueueExhaustedAlert(stand.db, { id, attempt: 1 });
  await enqueueExhaustedAlert(stand.db, { id, attempt: 2 });
  await work();
  expect(received.slice(before + 1)).toMatchObject([{ id: `alert_exhausted:${id}:2`, operationId: id }]);
});
