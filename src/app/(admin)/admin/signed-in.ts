import { TRPCError } from '@trpc/server';
import { redirect } from 'next/navigation';
import { noShop } from '#server/trpc/init.ts';

/** Every read checks the session by itself; whoever has none is shown the door with the bell on it. */
export async function signedIn<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    if (error.code === 'UNAUTHORIZED') redirect('/admin/sign-in');
    if (error.code === 'FORBIDDEN')
      redirect(error.message === noShop ? '/admin/no-shop' : '/admin/not-allowed');
    throw error;
  }
}
