import { useSyncExternalStore } from 'react';
import type { LineState } from './line.ts';
import { idleLine, lineOf } from './lines.ts';

export function useLine(orderId: string): LineState {
  return useSyncExternalStore(
    (listener) => lineOf(orderId).subscribe(listener),
    () => lineOf(orderId).state,
    () => idleLine,
  );
}
