import { TRPCError } from '@trpc/server';
import { notFound } from 'next/navigation';

/** A malformed or unknown id in the address is a missing page. */
export async function orNotFound<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof TRPCError && (error.code === 'NOT_FOUND' || error.code === 'BAD_REQUEST'))
      notFound();
    throw error;
  }
}
