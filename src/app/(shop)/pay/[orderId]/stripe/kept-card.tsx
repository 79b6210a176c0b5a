'use client';

import { CreditCard } from 'lucide-react';
import { Button } from '#ui/button.tsx';

/** Shown after a reload, when Stripe's fields are empty but the payment method is stored. */
export function KeptCard({ onChange }: { onChange?: (() => void) | undefined }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border border-line-strong bg-surface px-4 py-3 text-sm">
      <CreditCard className="size-4.5 shrink-0 text-ink-faint" aria-hidden="true" />
      <p className="min-w-0 flex-1">
        <span className="block font-medium">The card you entered</span>
        <span className="block text-ink-soft leading-5">It is kept for this payment.</span>
      </p>
      {onChange && (
        <Button tone="quiet" size="small" className="-mr-2" onClick={onChange}>
          Use another card
        </Button>
      )}
    </div>
  );
}
