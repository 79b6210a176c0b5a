'use client';

import { RotateCcw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { api } from '#app/trpc/client.ts';

/** A paid order stays paid; to play again one needs another. */
export function NewOrder({ orderId }: { orderId: string }) {
  const router = useRouter();
  const [step, setStep] = useState<'idle' | 'busy' | 'failed'>('idle');
  const asked = useRef(false);

  async function repeat() {
    if (asked.current) return;
    asked.current = true;
    setStep('busy');
    try {
      const again = await api.demo.again.mutate({ orderId });
      router.push(`/pay/${again.orderId}`);
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
