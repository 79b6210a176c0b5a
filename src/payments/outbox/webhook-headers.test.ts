import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { webhookHeaders } from './webhook-headers.ts';
import { mintSecret } from './webhook-secret.ts';

const body = '{"type":"payment.succeeded"}';
const headersOf = (...secrets: string[]) =>
  webhookHeaders({ id: 'event-1', body, sentAt: new Date(), secrets });

test('the published example of the scheme: same secret, id, time and body, same signature', () => {
  const headers = webhookHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    sentAt: new Date(1_614_265_330_000),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  });
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('with two secrets, a receiver that has either accepts the message, and one that has another does not', () => {
  const [old, current] = [mintSecret(), mintSecret()];
  const headers = headersOf(current, old);
  expect(new Webhook(current).verify(body, headers)).toEqual({ type: 'payment.succeeded' });
  expect(new Webhook(old).verify(body, headers)).toEqual({ type: 'payment.succeeded' });
  expect(() => new Webhook(mintSecret()).verify(body, headers)).toThrow('No matching signature');
});

test('a secret has the form that the scheme asks for: whsec_ and 32 bytes in base64', () => {
  const secret = mintSecret();
  expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
