'use client';

import { useOrderWatch } from '#app/(shop)/use-order-watch.ts';

export default function Watch({ orderId }: { orderId: string }) {
  useOrderWatch(orderId, true);
  return null;
}
