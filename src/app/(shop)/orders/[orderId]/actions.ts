'use server';

import { TRPCError } from '@trpc/server';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { serverApi } from '#app/trpc/server.ts';

const wish = z.object({ order: z.uuid() });

/** Where the money was faster, the page says that the order is paid: there is nothing to add to that. */
export async function cancelOrder(form: FormData): Promise<void> {
  const { order: orderId } = wish.parse(Object.fromEntries(form));
  const api = await serverApi();
  await api.payments.cancelOrder({ orderId }).catch((error: unknown) => {
    if (!(error instanceof TRPCError && error.code === 'CONFLICT')) throw error;
  });
  redirect(`/orders/${orderId}`);
}
