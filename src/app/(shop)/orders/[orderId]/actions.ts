'use server';

import { TRPCError } from '@trpc/server';
import { redirect } from 'next/navigation';
import { z } from 'zod';
import { readPostedForm } from '#app/posted-form.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';

const fields = z.object({ order: z.uuid() });

/** An order that was paid meanwhile is not cancelled; the page that follows shows that it is paid. */
export async function cancelOrder(form: FormData): Promise<void> {
  const { order: orderId } = readPostedForm(fields, form);
  const api = await serverApi();
  await orNotFound(api.payments.cancelOrder({ orderId })).catch((error: unknown) => {
    if (!(error instanceof TRPCError && error.code === 'CONFLICT')) throw error;
  });
  redirect(`/orders/${orderId}`);
}
