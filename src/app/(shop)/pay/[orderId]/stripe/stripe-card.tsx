'use client';

import { Elements, PaymentElement, useElements, useStripe } from '@stripe/react-stripe-js';
import { type Ref, type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react';
import type { Money } from '#payments/money.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { appearanceFor } from './appearance.ts';
import type { CardHandle } from './card-handle.ts';
import { CardSkeleton } from './card-skeleton.tsx';
import { checkCard, readCard } from './read-card.ts';
import { useDark } from './use-dark.ts';
import { useStripeJs } from './use-stripe-js.ts';

export interface StripeCardProps {
  publishableKey: string;
  total: Money;
  /** A card that is being charged can be read but not changed. */
  readOnly: boolean;
  handle: Ref<CardHandle>;
}

/**
 * Stripe's Payment Element. It gets only the amount and makes only a payment method: our server creates the intent, under
 * the idempotency key, when the shopper pays.
 */
export default function StripeCard(props: StripeCardProps) {
  const { stripe, reload } = useStripeJs(props.publishableKey);
  const container = useRef<HTMLDivElement>(null);
  const appearance = useAppearance(container);
  if (stripe === 'failed') return <NotLoaded onReload={reload} />;
  return (
    <div ref={container}>
      {stripe && appearance ? (
        <Elements
          stripe={stripe}
          options={{
            mode: 'payment',
            amount: props.total.amountMinor,
            currency: props.total.currency,
            allowedPaymentMethodTypes: ['card', 'link'],
            paymentMethodCreation: 'manual',
            appearance,
          }}
        >
          <CardFields readOnly={props.readOnly} handle={props.handle} />
        </Elements>
      ) : (
        <CardSkeleton />
      )}
    </div>
  );
}

function CardFields({ readOnly, handle }: Pick<StripeCardProps, 'readOnly' | 'handle'>) {
  const stripe = useStripe();
  const elements = useElements();
  const [ready, setReady] = useState(false);
  const [failed, setFailed] = useState(false);
  useImperativeHandle(handle, () => {
    if (!stripe || !elements || !ready) return notReady;
    return { check: () => checkCard(elements), read: () => readCard(stripe, elements) };
  }, [stripe, elements, ready]);
  if (failed) return <NotLoaded onReload={() => window.location.reload()} />;
  return (
    <>
      {!ready && <CardSkeleton />}
      <PaymentElement
        options={{
          layout: 'tabs',
          readOnly,
          // A wallet's sheet opens when its payment method is made, which is before the attempt begins: a retry sends the
          // same payment method, and never opens the sheet again.
          wallets: { applePay: 'auto', googlePay: 'auto', link: 'auto' },
        }}
        onReady={() => setReady(true)}
        onLoadError={() => setFailed(true)}
      />
    </>
  );
}

const stillLoading = 'The card form is still loading. Wait a moment, then pay';
const notReady: CardHandle = {
  check: async () => stillLoading,
  read: async () => ({ kind: 'problem', message: stillLoading }),
};

/** The tokens depend on the shop, so they are read from an element inside the shop's page. */
function useAppearance(container: RefObject<HTMLElement | null>) {
  const dark = useDark();
  const [appearance, setAppearance] = useState<ReturnType<typeof appearanceFor>>();
  useEffect(() => {
    if (container.current) setAppearance(appearanceFor(container.current, dark));
  }, [container, dark]);
  return appearance;
}

function NotLoaded({ onReload }: { onReload: () => void }) {
  return (
    <div className="grid justify-items-start gap-3 rounded-xl border border-line-strong bg-surface p-4">
      <InlineError>The card form did not come. A blocker or a lost connection may have kept it.</InlineError>
      <Button tone="secondary" size="small" onClick={onReload}>
        Load it again
      </Button>
    </div>
  );
}
