import { headers } from 'next/headers';
import { createPageContext } from '#server/trpc/context.ts';
import { createCaller } from '#server/trpc/root.ts';

/** The same procedures, with the same checks, for pages rendered on the server. */
export async function serverApi() {
  return createCaller(createPageContext(await headers()));
}
