import { TRPCError } from '@trpc/server';
import { redirect } from 'next/navigation';

/** Every read checks the session by itself; whoever has none is shown the door with the bell on it. */
export async function signedIn<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TRPCError && error.code === 'UNAUTHORIZED') redirect('/admin/sign-in');
    if (error instanceof TRPCError && error.code === 'FORBIDDEN') redirect('/admin/sign-in?problem=no-shop');
    throw error;
  }
}
