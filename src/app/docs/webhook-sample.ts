/** A receiver that verifies what it gets. The README of payments has the same text, and a test runs it there. */
export const webhookSample = `import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const handled = new Set();

const server = createServer(async (request, response) => {
  // The body as it arrived, byte for byte: parsed and written out again, it would have another signature.
  const body = await text(request);
  let event;
  try {
    event = webhook.verify(body, request.headers);
  } catch {
    response.writeHead(400).end();
    return;
  }
  // The same event may come more than once. Your server keeps the ids with its orders, in its database.
  if (!handled.has(event.id)) {
    handled.add(event.id);
    console.log(event.type, event.data.reference);
  }
  response.writeHead(204).end();
});
server.listen(process.env.PORT, () => console.log('listening'));
`;

/** What such a receiver gets. */
export const webhookExample = {
  id: '4f1c3b52-8a0e-4d0c-9d5b-6f2f1f6f0c11',
  type: 'payment.succeeded',
  timestamp: '2026-11-17T09:30:00.000Z',
  data: {
    paymentId: '0b9e7c1a-52a4-4d5e-8a76-1f4c2d3e4f50',
    operationId: '7d2f9a86-3c1b-4e8f-9b0a-5c6d7e8f9012',
    status: 'succeeded',
    amountMinor: 1200,
    currency: 'usd',
    reference: 'invoice-7781',
    refundedMinor: 0,
    declineCode: null,
    createdAt: '2026-11-17T09:29:58.000Z',
    completedAt: '2026-11-17T09:30:00.000Z',
  },
};
