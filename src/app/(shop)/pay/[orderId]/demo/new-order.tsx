'use client';

import { RotateCcw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

/** Creates an order like this one, because a paid order cannot be paid again. */
export function NewOrder({ orderId }: { orderId: string }) {
  const router = useRouter();
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle');
  const sent = useRef(false);

  async function repeat() {
    if (sent.current) return;
    sent.current = true;
    setStep('busy');
    try {
      const again = await api.demo.again.mutate({ orderId });
      router.push(`/pay/${again.orderId}`);
    } catch {
      sent.current = false;
      setStep('failed');
    }
  }

  return (
    <>
      <Button tone="secondary" className="w-full" busy={step === 'busy'} onClick={repeat}>
        {step !== 'busy' && <RotateCcw className="size-4.5" aria-hidden="true" />}
        New order like this one
      </Button>
      {step === 'failed' && <InlineError>The order could not be made, and nothing was charged.</InlineError>}
    </>
  );
}
