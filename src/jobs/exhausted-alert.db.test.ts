import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPaymentKind } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { createReconciler } from '#reconciliation/index.ts';
import { createAlertTasks, enqueueExhaustedAlert } from './exhausted-alert.ts';

let harness: PaymentHarness;
let receiver: Server;
const received: Record<string, unknown>[] = [];
let status = 200;

beforeAll(async () => {
  harness = await openPaymentHarness({ providerTimeoutMs: 1_000 });
  receiver = createServer(async (request, response) => {
    received.push(JSON.parse(await text(request)));
    response.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
afterAll(async () => {
  receiver.close();
  await harness.close();
});

function work(): Promise<void> {
  const { port } = receiver.address() as AddressInfo;
  const settings = {
    webhookUrl: `http://127.0.0.1:${port}/hook?token=secret`,
    publicUrl: 'https://shop.example',
  };
  return runDueJobs(harness, createAlertTasks(harness.db, settings));
}

test('an alert is delivered once, also after an outage of the receiver, with the facts that an operator needs', async () => {
  const payCommand = command({ paymentMethod: 'pm_fault_charged_no_response' });
  const outcome = await harness.pay(payCommand, newKey());
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId } = outcome;
  const first = { ...harness.refOf(operationId), attempt: 1 };

  status = 500;
  await enqueueExhaustedAlert(harness.db, first);
  await enqueueExhaustedAlert(harness.db, first);
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
    amountMinor: payCommand.amountMinor,
    currency: payCommand.currency,
    reference: payCommand.reference,
    ageSeconds: expect.any(Number),
    checks: 0,
    link: `https://shop.example/admin/operations/${operationId}`,
  });

  await enqueueExhaustedAlert(harness.db, first);
  await work();
  expect(received).toHaveLength(2);
});

test('no alert is sent for an operation that was resolved meanwhile', async () => {
  const before = received.length;
  const { operationId } = bodyOf(await harness.pay(command(), newKey()));
  await enqueueExhaustedAlert(harness.db, { ...harness.refOf(String(operationId)), attempt: 1 });
  await work();
  expect(received).toHaveLength(before);
});

test('a second exhaustion, by the next attempt under the same key, is another alert; that of the first attempt is not sent any more', async () => {
  const payCommand = command({ paymentMethod: 'pm_fault_not_charged_no_response' });
  const key = newKey();
  const outcome = await harness.pay(payCommand, key);
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId: id } = outcome;
  const before = received.length;
  await enqueueExhaustedAlert(harness.db, { ...harness.refOf(id), attempt: 1 });
  await work();
  expect(received.slice(before)).toMatchObject([{ id: `alert_exhausted:${id}:1` }]);

  const reconciler = createReconciler({
    ...harness,
    investigators: [createPaymentKind.createInvestigator(harness)],
  });
  expect(await reconciler.reconcile(harness.refOf(id), 'operator:1')).toMatchObject({ kind: 'released' });
  await harness.pay(payCommand, key);
  expect(await harness.store.findById(harness.refOf(id))).toMatchObject({ status: 'unknown', attempt: 2 });
  await enqueueExhaustedAlert(harness.db, { ...harness.refOf(id), attempt: 1 });
  await enqueueExhaustedAlert(harness.db, { ...harness.refOf(id), attempt: 2 });
  await work();
  expect(received.slice(before + 1)).toMatchObject([{ id: `alert_exhausted:${id}:2`, operationId: id }]);
});
