import { defaultShouldDehydrateQuery, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { onApiError, onQueryError } from './on-api-error.ts';

/** What a server component has read is not read again by the page that shows it. */
const freshMs = 30_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: onQueryError }),
    mutationCache: new MutationCache({ onError: onApiError }),
    defaultOptions: {
      // `navigator.onLine` is a hint, never a gate.
      queries: { staleTime: freshMs, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
      // Nothing is sent twice because a library decided so: an idempotent command is repeated by its submission, under its
      // key, and every other one by the person.
      mutations: { retry: false, networkMode: 'always' },
      dehydrate: {
        shouldDehydrateQuery: (query) =>
          defaultShouldDehydrateQuery(query) || query.state.status === 'pending',
        // What was read on the server has the same shape as what comes over the network.
        serializeData: (data) => JSON.parse(JSON.stringify(data ?? null)),
      },
    },
  });
}
