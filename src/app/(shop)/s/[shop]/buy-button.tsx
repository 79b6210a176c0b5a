'use client';

import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '../../../trpc/client.ts';

export function BuyButton(props: { slug: string; productId: string; name: string }) {
  const router = useRouter();
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle');
  // A double click lands before React has rendered the busy button; a second order would be a second thing to pay.
  const asked = useRef(false);

  async function buy() {
    if (asked.current) return;
    asked.current = true;
    setStep('busy');
    try {
      const lines = [{ productId: props.productId, quantity: 1 }];
      const { orderId } = await api.shop.createOrder.mutate({ slug: props.slug, lines });
      // It stays busy from here on: this page is being left.
      router.push(`/pay/${orderId}`);
    } catch {
      asked.current = false;
      setStep('failed');
    }
  }

  return (
    <>
      <Button tone="soft" className="w-full" busy={step === 'busy'} onClick={buy}>
        {step === 'busy' ? 'Opening the till…' : 'Buy'}
        <span className="sr-only"> {props.name}</span>
      </Button>
      {step === 'failed' && (
        <div className="mt-2">
          <Mishap>The order could not be made, and nothing was charged. Buy starts afresh.</Mishap>
        </div>
      )}
    </>
  );
}
