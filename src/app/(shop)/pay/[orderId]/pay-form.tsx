'use client';

import { Lock } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useCallback, useEffect, useRef } from 'react';
import { useIdempotentMutation } from '#idempotency/react.ts';
import { formatMoney, type Money } from '#payments/money.ts';
import { Button } from '#ui/button.tsx';
import { ErrorSummary } from '#ui/error-summary.tsx';
import { type Card, CardPicker } from '#ui/pay/card-picker.tsx';
import { PayStatus } from '#ui/pay/pay-status.tsx';
import { TextField } from '#ui/text-field.tsx';
import { type PayAnswer, type PayCommand, sendPayment } from '../../../trpc/pay.ts';
import { useRefreshing } from '../../use-refreshing.ts';
import { attemptWords, readingWords } from './attempt-words.ts';
import { askAfterReturn, takeReturn } from './returned.ts';
import type { CardHandle } from './stripe/card-handle.ts';
import { StripeField } from './stripe/stripe-field.tsx';
import { useFreshSince } from './use-fresh-since.ts';
import { useKeptCard } from './use-kept-card.ts';
import { type CardSource, usePayCommand } from './use-pay-command.ts';
import { useRememberedForm } from './use-remembered-form.ts';

export function PayForm(props: {
  orderId: string;
  total: Money;
  /** Where cards come from: a list of test cards, or Stripe's own fields. */
  cards: readonly Card[] | { readonly publishableKey: string };
  sandbox: boolean;
  /** The server sees a payment for the order under way; this form may or may not have started it. */
  pending: boolean;
  renderedAt: number;
}) {
  const { orderId, cards } = props;
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const card = useRef<CardHandle>(null);
  const command = usePayCommand(form);
  const scope = `order.${orderId}`;
  const payment = useIdempotentMutation<PayCommand, PayAnswer>({
    scope,
    send: (command, key) => sendPayment(orderId, command, key),
    ask: (key) => askAfterReturn(orderId, key),
  });
  const { state } = payment;
  const kept = useKeptCard(state, payment.sent);
  const alive = payment.key !== undefined;
  const paid = state.kind === 'done' && state.answer.status === 'succeeded';
  const fresh = useFreshSince(state.kind === 'refused' ? state.problem : undefined, props.renderedAt);
  const pendingElsewhere = props.pending || !fresh;
  const words = command.reading
    ? readingWords
    : attemptWords(state, { amount: formatMoney(props.total), alive, pendingElsewhere });
  useRememberedForm(form, scope);
  // Where nothing was sent from, nothing is asked about; the address is tidied all the same.
  useEffect(() => void takeReturn(), []);

  // Replaced, not pushed: going back from the receipt leads to the shop and not to a form that has done its work.
  const openReceipt = useCallback(() => router.replace(`/orders/${orderId}`), [router, orderId]);
  useEffect(() => {
    if (paid) openReceipt();
  }, [paid, openReceipt]);
  useRefreshing(words.button.tap === 'look' || (state.kind === 'ready' && pendingElsewhere));

  function cardSource(): CardSource {
    if ('length' in cards) return { kind: 'list' };
    const { paymentMethod } = kept;
    return paymentMethod ? { kind: 'kept', paymentMethod } : { kind: 'fields', handle: card.current };
  }

  async function pay() {
    const source = cardSource();
    const read = await command.read(source);
    if (!read) return;
    if (source.kind === 'fields') kept.markEntered();
    if (state.kind === 'done') payment.reset();
    payment.submit(read);
  }

  function tap(event: FormEvent) {
    event.preventDefault();
    if (words.button.tap === 'pay') void pay();
    else if (words.button.tap === 'hurry') payment.hurry();
    else if (words.button.tap === 'look') router.refresh();
    else if (words.button.tap === 'leave') openReceipt();
    else if (words.button.tap === 'bank' && state.kind === 'checking' && state.actionUrl)
      window.location.assign(state.actionUrl);
  }

  const errorOf = (field: string) => command.errors.find((error) => error.field === field)?.message;
  return (
    <form
      ref={form}
      method="post"
      noValidate
      onSubmit={tap}
      data-state={state.kind}
      data-attempt-key={payment.key}
      aria-label="Payment"
      className="grid gap-6"
    >
      <ErrorSummary errors={command.errors} />
      <TextField
        id="email"
        name="email"
        type="email"
        label="E-mail for the receipt"
        autoComplete="email"
        inputMode="email"
        maxLength={254}
        required
        error={errorOf('email')}
      />
      {'length' in cards ? (
        <CardPicker cards={cards} error={errorOf('card')} />
      ) : (
        <StripeField
          publishableKey={cards.publishableKey}
          total={props.total}
          handle={card}
          error={errorOf('card')}
          known={alive}
          kept={kept.shown}
          readOnly={kept.readOnly}
          onChange={kept.useAnother}
        />
      )}
      <div className="grid gap-4">
        <PayStatus
          tone={words.tone}
          title={words.title}
          body={words.body}
          reference={words.reference}
          resumesAt={state.kind === 'waiting' ? state.resumesAt : undefined}
        />
        <Button type="submit" size="large" className="w-full" busy={words.button.busy}>
          {words.button.label}
        </Button>
        <noscript>
          <p className="text-danger text-sm">
            Paying here needs JavaScript: it is what keeps a payment from being sent twice.
          </p>
        </noscript>
        <p className="flex items-start gap-2 text-ink-faint text-sm leading-5">
          <Lock className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          {smallPrint(props.sandbox, 'length' in cards)}
        </p>
      </div>
    </form>
  );
}

function smallPrint(sandbox: boolean, list: boolean): string {
  if (sandbox) return 'Test cards of the built-in sandbox. No real money moves.';
  if (list) return 'Stripe’s test cards. Your card details never touch this shop.';
  return 'Your card goes straight to Stripe. Its number never reaches this shop.';
}
