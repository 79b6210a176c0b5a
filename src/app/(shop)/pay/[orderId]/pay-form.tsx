'use client';

import { Lock } from 'lucide-react';
import { type FormEvent, useRef } from 'react';
import { useOrderWatch } from '#app/(shop)/use-order-watch.ts';
import { useRefresh } from '#app/(shop)/use-refreshing.ts';
import { type PayCommand, type PayResult, sendPayment, watchPayment } from '#app/trpc/pay.ts';
import { useIdempotentMutation } from '#idempotency/react.ts';
import { formatMoney, type Money } from '#payments/money.ts';
import { Button } from '#ui/button.tsx';
import { ErrorSummary } from '#ui/error-summary.tsx';
import { type Card, CardPicker } from '#ui/pay/card-picker.tsx';
import { PayStatus } from '#ui/pay/pay-status.tsx';
import { TextField } from '#ui/text-field.tsx';
import { useOnline } from '#ui/use-online.ts';
import { type ButtonAction, payCopy, readingCardCopy } from './pay-copy.ts';
import { readStatusAfterReturn, useReturn } from './returned.ts';
import type { CardHandle } from './stripe/card-handle.ts';
import { StripeField } from './stripe/stripe-field.tsx';
import { useCurrentPage } from './use-current-page.ts';
import { useFreshSince } from './use-fresh-since.ts';
import { useKeptCard } from './use-kept-card.ts';
import { type CardSource, usePayCommand } from './use-pay-command.ts';
import { useReceipt } from './use-receipt.ts';
import { useRememberedForm } from './use-remembered-form.ts';

export function PayForm(props: {
  order: { readonly id: string; readonly number: string; readonly total: Money };
  /** A list of test cards to choose from, or the key for Stripe's own card fields. */
  cards: readonly Card[] | { readonly publishableKey: string };
  sandbox: boolean;
  /** The order has a pending payment; this form may or may not have started it. */
  pending: boolean;
  renderedAt: number;
}) {
  const { order, cards } = props;
  const refresh = useRefresh();
  const form = useRef<HTMLFormElement>(null);
  const card = useRef<CardHandle>(null);
  const command = usePayCommand(form);
  const scope = `order.${order.id}`;
  const payment = useIdempotentMutation<PayCommand, PayResult>({
    scope,
    send: (command, key) => sendPayment(order.id, command, key),
    readStatus: (key) => readStatusAfterReturn(order.id, key),
    watch: (key, onStatus) => watchPayment(order.id, key, onStatus),
  });
  const { state, key } = payment;
  const kept = useKeptCard(state, payment.sent);
  const paid = state.kind === 'done' && state.result.status === 'succeeded';
  const fresh = useFreshSince(state.kind === 'refused' ? state.problem : undefined, props.renderedAt);
  const online = useOnline();
  const receipt = useReceipt(order.id, paid, online);
  const context = {
    amount: formatMoney(order.total),
    orderNumber: order.number,
    key,
    online,
    serverDown: receipt.serverDown,
    pendingElsewhere: props.pending || !fresh,
  };
  const copy = command.reading ? readingCardCopy : payCopy(state, context);
  useRememberedForm(form, scope);
  useReturn(order.id, key, state.kind === 'restoring');
  useCurrentPage(props.renderedAt);
  useOrderWatch(
    order.id,
    copy.button.action === 'refresh' || (state.kind === 'ready' && context.pendingElsewhere),
  );

  function cardSource(): CardSource {
    if ('length' in cards) return { kind: 'list' };
    const { paymentMethod } = kept;
    return paymentMethod ? { kind: 'kept', paymentMethod } : { kind: 'fields', handle: card.current };
  }

  async function pay() {
    // The command may still take effect, so it is sent again unchanged, even if the form was edited.
    if (state.kind === 'gave_up' && payment.sent) return payment.submit(payment.sent);
    const source = cardSource();
    const read = await command.read(source);
    if (!read) return;
    if (source.kind === 'fields') kept.markEntered();
    payment.reset();
    payment.submit(read);
  }

  function openBank() {
    const current = state.kind === 'following' ? state.otherTab : state;
    if (current?.kind === 'checking' && current.actionUrl) window.location.assign(current.actionUrl);
  }

  function onSubmit(event: FormEvent) {
    event.preventDefault();
    const actions: Record<ButtonAction, () => void> = {
      pay: () => void pay(),
      retryNow: payment.retryNow,
      openBank,
      refresh: () => void refresh(),
      openReceipt: receipt.open,
      none: () => undefined,
    };
    actions[copy.button.action]();
  }

  const errorOf = (field: string) => command.errors.find((error) => error.field === field)?.message;
  return (
    <form
      ref={form}
      method="post"
      noValidate
      onSubmit={onSubmit}
      data-state={state.kind}
      data-idempotency-key={key}
      aria-label="Payment"
      className="grid gap-8"
    >
      <ErrorSummary errors={command.errors} />
      <fieldset>
        <legend className="mb-3 font-semibold">Contact</legend>
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
      </fieldset>
      {'length' in cards ? (
        <CardPicker cards={cards} error={errorOf('card')} />
      ) : (
        <StripeField
          publishableKey={cards.publishableKey}
          total={order.total}
          handle={card}
          error={errorOf('card')}
          known={key !== undefined}
          kept={kept.shown}
          readOnly={kept.readOnly}
          onChange={kept.useAnother}
        />
      )}
      <div className="grid gap-4">
        <PayStatus {...copy} />
        <Button type="submit" size="large" className="w-full" busy={copy.button.busy}>
          {copy.button.label}
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
