'use client';

import { Lock } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useIdempotentMutation } from '#idempotency/react.ts';
import { formatMoney, type Money } from '#payments/money.ts';
import { Button } from '#ui/button.tsx';
import { ErrorSummary, type FieldError } from '#ui/error-summary.tsx';
import { type Card, CardPicker } from '#ui/pay/card-picker.tsx';
import { PayStatus } from '#ui/pay/pay-status.tsx';
import { TextField } from '#ui/text-field.tsx';
import { askPayment, type PayAnswer, type PayCommand, sendPayment } from '../../../trpc/pay.ts';
import { useRefreshing } from '../../use-refreshing.ts';
import { attemptWords } from './attempt-words.ts';
import { hurryAttempt } from './hurry-attempt.ts';
import { readForm } from './read-form.ts';
import { useFreshSince } from './use-fresh-since.ts';
import { useRememberedForm } from './use-remembered-form.ts';

export function PayForm(props: {
  orderId: string;
  total: Money;
  cards: readonly Card[];
  sandbox: boolean;
  /** The server sees a payment for the order under way; this form may or may not have started it. */
  pending: boolean;
  renderedAt: number;
}) {
  const { orderId } = props;
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const scope = `order.${orderId}`;
  const payment = useIdempotentMutation<PayCommand, PayAnswer>({
    scope,
    send: (command, key) => sendPayment(orderId, command, key),
    ask: (key) => askPayment(orderId, key),
  });
  const { state } = payment;
  const alive = payment.key !== undefined;
  const paid = state.kind === 'done' && state.answer.status === 'succeeded';
  const fresh = useFreshSince(state.kind === 'refused' ? state.problem : undefined, props.renderedAt);
  const pendingElsewhere = props.pending || !fresh;
  const words = attemptWords(state, { amount: formatMoney(props.total), alive, pendingElsewhere });
  useRememberedForm(form, scope);

  // Replaced, not pushed: going back from the receipt leads to the shop and not to a form that has done its work.
  const openReceipt = useCallback(() => router.replace(`/orders/${orderId}`), [router, orderId]);
  useEffect(() => {
    if (paid) openReceipt();
  }, [paid, openReceipt]);
  useRefreshing(words.button.tap === 'look' || (state.kind === 'ready' && pendingElsewhere));

  function pay() {
    if (!form.current) return;
    const read = readForm(form.current);
    setErrors(read.errors);
    if (!read.command) return;
    if (state.kind === 'done') payment.reset();
    payment.submit(read.command);
  }

  function tap(event: FormEvent) {
    event.preventDefault();
    if (words.button.tap === 'pay') pay();
    else if (words.button.tap === 'hurry') hurryAttempt();
    else if (words.button.tap === 'look') router.refresh();
    else if (words.button.tap === 'leave') openReceipt();
  }

  const errorOf = (field: string) => errors.find((error) => error.field === field)?.message;
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
      <ErrorSummary errors={errors} />
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
      <CardPicker cards={props.cards} error={errorOf('card')} />
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
          {props.sandbox
            ? 'Test cards of the built-in sandbox. No real money moves.'
            : 'Stripe’s test cards. Your card details never touch this shop.'}
        </p>
      </div>
    </form>
  );
}
