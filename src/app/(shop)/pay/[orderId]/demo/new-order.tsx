'use client';

import { useMutation } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';

/** Creates an order like this one, because a paid order cannot be paid again. */
export function NewOrder({ orderId }: { orderId: string }) {
  const router = useRouter();
  const again = useMutation(
    useTRPC().demo.again.mutationOptions({
      onSuccess: ({ orderId: created }) => router.push(`/pay/${created}`),
    }),
  );
  // Also while the new order's page is being loaded: a second click must not make a second order.
  const busy = again.isPending || again.isSuccess;

  return (
    <>
      <Button
        tone="secondary"
        className="w-full"
        busy={busy}
        onClick={() => !busy && again.mutate({ orderId })}
      >
        {!busy && <RotateCcw className="size-4.5" aria-hidden="true" />}
        New order like this one
      </Button>
      {again.isError && <InlineError>The order could not be made, and nothing was charged.</InlineError>}
    </>
  );
}
