'use client';

import { lazy, Suspense } from 'react';
import { CardFieldset } from '#ui/pay/card-fieldset.tsx';
import { CardSkeleton } from './card-skeleton.tsx';
import { KeptCard } from './kept-card.tsx';
import type { StripeCardProps } from './stripe-card.tsx';

/** Loaded lazily, so that with the sandbox no code of Stripe's is loaded. */
const StripeCard = lazy(() => import('./stripe-card.tsx'));

export interface StripeFieldProps extends StripeCardProps {
  error?: string | undefined;
  /** False until the stored payment method has been read. */
  known: boolean;
  /** A card was entered before the page was loaded, and is still being used. */
  kept: boolean;
  onChange?: (() => void) | undefined;
}

export function StripeField({ error, known, kept, onChange, ...card }: StripeFieldProps) {
  return (
    <CardFieldset error={error} locked={card.readOnly && onChange === undefined}>
      {!known && <CardSkeleton />}
      {known && kept && <KeptCard onChange={onChange} />}
      {known && !kept && (
        <Suspense fallback={<CardSkeleton />}>
          <StripeCard {...card} />
        </Suspense>
      )}
    </CardFieldset>
  );
}
