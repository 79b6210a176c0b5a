'use client';

import { RotateCcw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '../../../../trpc/client.ts';

export interface OrderToRepeat {
  readonly shop: { readonly slug: string };
  readonly lines: readonly { readonly slug: string; readonly quantity: number }[];
}

/** A paid order stays paid; to play again one needs another. */
export function NewOrder({ order }: { order: OrderToRepeat }) {
  const router = useRouter();
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle');
  const asked = useRef(false);

  async function repeat() {
    if (asked.current) return;
    asked.current = true;
    setStep('busy');
    try {
      const lines = order.lines.map(({ slug, quantity }) => ({ slug, quantity }));
      const cart = { id: crypto.randomUUID(), lines };
      const placed = await api.shop.buyNow.mutate({ slug: order.shop.slug, cart });
      if (placed.kind === 'placed') return router.push(`/pay/${placed.orderId}`);
      asked.current = false;
      setStep('failed');
    } catch {
      asked.current = false;
      setStep('failed');
    }
  }

  return (
    <>
      <Button tone="secondary" className="w-full" busy={step === 'busy'} onClick={repeat}>
        {step !== 'busy' && <RotateCcw className="size-4.5" aria-hidden="true" />}
        New order like this one
      </Button>
      {step === 'failed' && <Mishap>The order could not be made, and nothing was charged.</Mishap>}
    </>
  );
}
