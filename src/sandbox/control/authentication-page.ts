import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { parseForm } from '../http/form.ts';
import type { Work } from '../http/response.ts';
import { requirePaymentMethod } from '../payments/charge.ts';
import { failAuthentication, succeed } from '../payments/charge-intent.ts';
import { requireCard } from '../payments/confirm-intent.ts';
import { displayMoney } from '../payments/currency.ts';
import { type IntentRow, lockIntent } from '../payments/intent.ts';
import { inTransaction, type Pool } from '../store/database.ts';
import type { Switches } from '../switches.ts';
import { noticePage, questionPage } from './authentication-html.ts';

export interface AuthenticationContext {
  pool: Pool;
  switches: Switches;
  apiVersion: string;
  committed(): void;
}

const credentials = z.object({ client_secret: z.string() });
const decision = z.object({ client_secret: z.string(), outcome: z.enum(['complete', 'fail']) });

/**
 * The bank's page. A shopper's browser opens it, so it is not bound to this machine; the client secret in its address
 * is what admits them, as at Stripe.
 */
export function registerAuthenticationPage(app: FastifyInstance, context: AuthenticationContext): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body))),
  );
  app.setErrorHandler((error, request, reply) => {
    const unknown = error instanceof Unknown || error instanceof z.ZodError;
    if (!unknown) request.log.error({ err: error }, 'the authentication page failed');
    return html(reply.code(unknown ? 404 : 500), noticePage('This page does not exist.'));
  });

  app.get<{ Params: { intent: string } }>('/:intent', async (request, reply) => {
    const { client_secret } = credentials.parse(request.query);
    const intent = await withIntent(
      context,
      request.params.intent,
      client_secret,
      async (_work, found) => found,
    );
    if (intent.status !== 'requires_action')
      return html(reply, noticePage('There is nothing to authenticate.'));
    const money = displayMoney(intent.amount, intent.currency);
    return html(reply, questionPage(money, intent.client_secret));
  });

  app.post<{ Params: { intent: string } }>('/:intent', async (request, reply) => {
    const { client_secret, outcome } = decision.parse(request.body);
    const intent = await withIntent(context, request.params.intent, client_secret, (work, found) =>
      decide(work, found, outcome),
    );
    context.committed();
    const destination = returnAddress(intent);
    if (destination) return reply.redirect(destination, 303);
    return html(reply, noticePage('Done. You can close this page and go back to the shop.'));
  });
}

class Unknown extends Error {}

function withIntent(
  context: AuthenticationContext,
  id: string,
  clientSecret: string,
  run: (work: Work, intent: IntentRow) => Promise<IntentRow>,
): Promise<IntentRow> {
  return inTransaction(context.pool, async (tx) => {
    const nowMs = context.switches.nowMs();
    const work: Work = {
      tx,
      requestId: null,
      idempotencyKey: null,
      apiVersion: context.apiVersion,
      nowMs,
      events: [],
    };
    const intent = await lockIntent(work, id).catch(() => {
      throw new Unknown();
    });
    if (!sameSecret(intent.client_secret, clientSecret)) throw new Unknown();
    return run(work, intent);
  });
}

/** A second click, or a reload of the page, finds the decision made and changes nothing. */
async function decide(work: Work, intent: IntentRow, outcome: 'complete' | 'fail'): Promise<IntentRow> {
  if (intent.status !== 'requires_action') return intent;
  if (outcome === 'complete') return succeed(work, intent, true);
  return failAuthentication(work, intent, requireCard(requirePaymentMethod(intent)));
}

function returnAddress(intent: IntentRow): string | null {
  if (intent.return_url === null || !URL.canParse(intent.return_url)) return null;
  const url = new URL(intent.return_url);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.searchParams.set('payment_intent', intent.id);
  url.searchParams.set('payment_intent_client_secret', intent.client_secret);
  url.searchParams.set('redirect_status', intent.status === 'succeeded' ? 'succeeded' : 'failed');
  return url.href;
}

function sameSecret(expected: string, given: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(given)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function html(reply: FastifyReply, page: string): FastifyReply {
  // The address holds a secret, and the return address is another site: neither caches nor referrers may keep it.
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send(page);
}
