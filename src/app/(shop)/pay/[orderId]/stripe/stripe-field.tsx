'use client';

import dynamic from 'next/dynamic';
import { CardFieldset } from '#ui/pay/card-fieldset.tsx';
import { CardSkeleton } from './card-skeleton.tsx';
import { KeptCard } from './kept-card.tsx';
import type { StripeCardProps } from './stripe-card.tsx';

/** Only a shop that takes real cards loads Stripe's code; the sandbox's page never asks for it. */
const StripeCard = dynamic(() => import('./stripe-card.tsx'), { ssr: false, loading: CardSkeleton });

export interface StripeFieldProps extends StripeCardProps {
  error?: string | undefined;
  /** False until the page knows whether a card is remembered. */
  known: boolean;
  /** A card was entered before the page was loaded, and goes on. */
  kept: boolean;
  onChange?: (() => void) | undefined;
}

export function StripeField({ error, known, kept, onChange, ...card }: StripeFieldProps) {
  return (
    <CardFieldset error={error}>
      {!known && <CardSkeleton />}
      {known && (kept ? <KeptCard onChange={onChange} /> : <StripeCard {...card} />)}
    </CardFieldset>
  );
}
