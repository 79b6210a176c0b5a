import { useSyncExternalStore } from 'react';
import type { LineState } from './faulty-network.ts';
import { idleLine, lineOf } from './network-faults.ts';

export function useLine(orderId: string): LineState {
  return useSyncExternalStore(
    (listener) => lineOf(orderId).subscribe(listener),
    () => lineOf(orderId).state,
    () => idleLine,
  );
}
