import { TRPCError } from '@trpc/server';
import { notFound } from 'next/navigation';

/** An address that names nothing is a missing page, whether the name is malformed or merely unknown. */
export async function orNotFound<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof TRPCError && (error.code === 'NOT_FOUND' || error.code === 'BAD_REQUEST'))
      notFound();
    throw error;
  }
}
