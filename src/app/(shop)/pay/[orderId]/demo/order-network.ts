import { useSyncExternalStore } from 'react';
import { onRealNetwork } from '#app/trpc/client.ts';
import { getQueryClient, trpcOfPage } from '#app/trpc/provider.tsx';
import { FaultyNetwork, type NetworkState } from './faulty-network.ts';
import { createJournal, noEntries } from './journal.ts';

/** By order. Exists in the browser only; the pay page and the receipt share it. */
const networks = new Map<string, FaultyNetwork>();

export function networkOf(orderId: string): FaultyNetwork {
  const known = networks.get(orderId);
  if (known) return known;
  const network = new FaultyNetwork({
    fetch: (input, init) => window.fetch(input, init),
    async isClaimed(key) {
      const status = trpcOfPage.payments.status.queryOptions({ orderId, key }, { trpc: onRealNetwork });
      return (await getQueryClient().fetchQuery({ ...status, staleTime: 0 })).status !== 'none';
    },
    journal: createJournal(orderId, () => window.sessionStorage),
    now: Date.now,
    pause,
  });
  networks.set(orderId, network);
  return network;
}

export function useFaultyNetwork(orderId: string): NetworkState {
  return useSyncExternalStore(
    (listener) => networkOf(orderId).subscribe(listener),
    () => networkOf(orderId).state,
    () => idleNetwork,
  );
}

const idleNetwork: NetworkState = { ...noEntries, cutUntil: undefined };

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
