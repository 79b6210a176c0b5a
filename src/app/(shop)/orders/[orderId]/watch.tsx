'use client';

import { useOrderWatch } from '../../use-order-watch.ts';

export default function Watch({ orderId }: { orderId: string }) {
  useOrderWatch(orderId, true);
  return null;
}
