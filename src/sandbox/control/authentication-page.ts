import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { acceptForms } from '../http/form.ts';
import { commitWork, type Store } from '../http/idempotency.ts';
import type { Work } from '../http/response.ts';
import { requirePaymentMethod } from '../payments/charge.ts';
import { failAuthentication, succeed } from '../payments/charge-intent.ts';
import { requireCard } from '../payments/confirm-intent.ts';
import { displayMoney } from '../payments/currency.ts';
import { findIntent, type IntentRow } from '../payments/intent.ts';
import type { Switches } from '../switches.ts';
import { challengePage, noticePage } from './authentication-html.ts';

export interface AuthenticationContext extends Store {
  switches: Switches;
  apiVersion: string;
}

const credentials = z.object({ client_secret: z.string() });
const decision = z.object({ client_secret: z.string(), outcome: z.enum(['complete', 'fail']) });

/** A secret and the button. Anyone may post to the page, and reading a long form takes long. */
const maxBytes = 4 * 1024;

/**
 * The bank's page for 3-D Secure. A shopper's browser opens it, so it is open to other machines; the client secret in the
 * address authorizes the request, as at Stripe.
 */
export function registerAuthenticationPage(app: FastifyInstance, context: AuthenticationContext): void {
  acceptForms(app);
  app.setErrorHandler((error, request, reply) => {
    const notFound = error instanceof NotFound || error instanceof z.ZodError;
    const tooLarge = error instanceof Error && 'statusCode' in error && error.statusCode === 413;
    if (tooLarge) return html(reply.code(413), noticePage('This form is too large.'));
    if (!notFound) request.log.error({ err: error }, 'the authentication page failed');
    return html(reply.code(notFound ? 404 : 500), noticePage('This page does not exist.'));
  });

  app.get<{ Params: { intent: string } }>('/:intent', async (request, reply) => {
    const { client_secret } = credentials.parse(request.query);
    const intent = await withIntent(context, request.params.intent, client_secret, (_work, found) => found);
    if (intent.status !== 'requires_action')
      return html(reply, noticePage('There is nothing to authenticate.'));
    const amount = displayMoney(intent.amount, intent.currency);
    return html(reply, challengePage(amount, intent.client_secret));
  });

  app.post<{ Params: { intent: string } }>('/:intent', { bodyLimit: maxBytes }, async (request, reply) => {
    const { client_secret, outcome } = decision.parse(request.body);
    const intent = await withIntent(context, request.params.intent, client_secret, (work, found) =>
      decide(work, found, outcome),
    );
    const destination = returnUrl(intent);
    if (destination) return reply.redirect(destination, 303);
    return html(reply, noticePage('Done. You can close this page and go back to the shop.'));
  });
}

class NotFound extends Error {}

function withIntent(
  context: AuthenticationContext,
  id: string,
  clientSecret: string,
  run: (work: Work, intent: IntentRow) => IntentRow,
): Promise<IntentRow> {
  return commitWork(context, context.apiVersion, context.switches.nowMs(), async (work) => {
    const intent = await findIntent(work, id).catch(() => {
      throw new NotFound();
    });
    if (!sameSecret(intent.client_secret, clientSecret)) throw new NotFound();
    return run(work, intent);
  });
}

/** A second click, or a reload of the page, finds the intent decided and changes nothing. */
function decide(work: Work, intent: IntentRow, outcome: 'complete' | 'fail'): IntentRow {
  if (intent.status !== 'requires_action') return intent;
  if (outcome === 'complete') return succeed(work, intent, true);
  return failAuthentication(work, intent, requireCard(requirePaymentMethod(intent)));
}

function returnUrl(intent: IntentRow): string | null {
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
  // The page's address holds a secret, and `return_url` is another site: neither caches nor referrers may keep it.
  return reply
    .type('text/html; charset=utf-8')
    .headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .send(page);
}
