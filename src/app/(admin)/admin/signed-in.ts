import { TRPCError } from '@trpc/server';
import { redirect } from 'next/navigation';
import { noShop } from '#server/trpc/init.ts';

/** Every read checks the session by itself; without one the page redirects to the sign-in. */
export async function signedIn<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    if (error.code === 'UNAUTHORIZED') redirect('/admin/sign-in');
    if (error.code === 'FORBIDDEN')
      redirect(error.message === noShop ? '/admin/no-shop' : '/admin/not-allowed');
    throw error;
  }
}
