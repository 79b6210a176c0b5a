import { dehydrate, type FetchQueryOptions } from '@tanstack/react-query';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { headers } from 'next/headers';
import { cache } from 'react';
import { pathHeader } from '#app/path-header.ts';
import { shopHeader, shopInHeader } from '#console/members/shop-header.ts';
import { createPageContext, readingIdentityOnce } from '#server/trpc/context.ts';
import { appRouter, createCaller } from '#server/trpc/root.ts';
import { shopOfAddress } from '#ui/admin/shop-address.ts';
import { createQueryClient } from './query-client.ts';

/** One for each rendering, so that all reads of a page share one session, and are refused when its address names another shop. */
const pageContext = cache(async () => {
  const ofPage = new Headers(await headers());
  const tenantId = shopOfAddress(ofPage.get(pathHeader) ?? '');
  if (tenantId !== undefined) ofPage.set(shopHeader, shopInHeader(tenantId));
  return readingIdentityOnce(createPageContext(ofPage));
});

/** The procedures of the API, with the same authorization, for pages that are rendered on the server. */
export async function serverApi() {
  return createCaller(await pageContext());
}

/** One for each rendering: what one person has read never reaches another. */
const queryClientOfPage = cache(createQueryClient);

/** The same queries as those of `useTRPC`, called without the network. */
export const trpcOfServer = createTRPCOptionsProxy({
  router: appRouter,
  ctx: pageContext,
  queryClient: queryClientOfPage,
});

/** Reads what a client component of the page reads with `useQuery`, which then has it in its first rendering. */
export async function prefetch<Data>(
  // biome-ignore lint/suspicious/noExplicitAny: the key's and the error's types differ from query to query
  query: FetchQueryOptions<Data, any, Data, any>,
): Promise<Data> {
  return queryClientOfPage().fetchQuery(query);
}

/** What was prefetched so far, for `<ApiProvider state={…}>` or, below one, `<HydrationBoundary state={…}>`. */
export function prefetched() {
  return dehydrate(queryClientOfPage());
}
