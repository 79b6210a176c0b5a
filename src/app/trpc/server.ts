import { headers } from 'next/headers';
import { createPageContext } from '#server/trpc/context.ts';
import { createCaller } from '#server/trpc/root.ts';

/** The procedures of the API, with the same authorization, for pages that are rendered on the server. */
export async function serverApi() {
  return createCaller(createPageContext(await headers()));
}
