'use client';

import { Lock } from 'lucide-react';
import { Button } from '#ui/button.tsx';
import { ErrorSummary } from '#ui/error-summary.tsx';
import { type Card, CardPicker } from '#ui/pay/card-picker.tsx';
import { PayStatus } from '#ui/pay/pay-status.tsx';
import { ContactLink } from '#ui/shop/shop-contact.tsx';
import { TextField } from '#ui/text-field.tsx';
import { CancelButton } from './cancel-button.tsx';
import { StripeField } from './stripe/stripe-field.tsx';
import { type PaymentOptions, usePayment } from './use-payment.ts';

export interface PayFormProps extends Omit<PaymentOptions, 'hasFields'> {
  /** A list of test cards to choose from, or the key for Stripe's own card fields. */
  cards: readonly Card[] | { readonly publishableKey: string };
  sandbox: boolean;
  /** Where shoppers ask about a payment. */
  contactEmail: string | undefined;
}

export function PayForm({ cards, sandbox, contactEmail, ...options }: PayFormProps) {
  const payment = usePayment({ ...options, hasFields: !('length' in cards) });
  const { state, key, copy, kept, errors } = payment;
  const errorOf = (field: string) => errors.find((error) => error.field === field)?.message;
  return (
    <form
      ref={payment.form}
      method="post"
      noValidate
      onSubmit={payment.onSubmit}
      data-state={state.kind}
      data-idempotency-key={key}
      aria-label="Payment"
      className="grid gap-8"
    >
      <ErrorSummary errors={errors} />
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
          readOnly={payment.locked}
          error={errorOf('email')}
        />
      </fieldset>
      {'length' in cards ? (
        <CardPicker cards={cards} error={errorOf('card')} locked={payment.locked} />
      ) : (
        <StripeField
          publishableKey={cards.publishableKey}
          total={options.order.total}
          handle={payment.card}
          error={errorOf('card')}
          known={key !== undefined}
          kept={kept.shown}
          readOnly={kept.readOnly}
          onChange={kept.chooseAnother}
        />
      )}
      <div className="grid gap-4">
        <PayStatus {...copy} tall={options.sendsEmails} loading={key === undefined} />
        <Button type="submit" size="large" className="w-full" busy={copy.button.busy}>
          {copy.button.label}
        </Button>
        {payment.cancel && <CancelButton busy={payment.cancelling} onCancel={payment.cancel} />}
        <noscript>
          <p className="text-danger text-sm">
            Paying here needs JavaScript: it is what keeps a payment from being sent twice.
          </p>
        </noscript>
        <p className="flex items-start gap-2 text-ink-faint text-sm leading-5">
          <Lock className="mt-0.5 size-4 shrink-0" aria-hidden="true" />
          {smallPrint(sandbox, 'length' in cards)}
        </p>
        {contactEmail && (
          <p className="text-ink-faint text-sm leading-5">
            Questions about a payment? Write to{' '}
            <ContactLink email={contactEmail} reference={options.order.number} />.
          </p>
        )}
      </div>
    </form>
  );
}

function smallPrint(sandbox: boolean, list: boolean): string {
  if (sandbox) return 'Test cards of the built-in sandbox. No real money moves.';
  if (list) return 'Stripe’s test cards. Your card details never touch this shop.';
  return 'Your card goes straight to Stripe. Its number never reaches this shop.';
}
