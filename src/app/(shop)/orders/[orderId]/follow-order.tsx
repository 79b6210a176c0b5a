'use client';

import { lazy, Suspense } from 'react';
import { useRefreshing } from '#app/(shop)/use-refreshing.ts';

/** Loaded lazily, because it brings the tRPC client, which the page needs only while a payment is pending. */
const OrderWatch = lazy(() => import('#app/(shop)/use-order-watch.ts'));

/** Refreshes the page when the order's payments change. */
export function FollowOrder({ orderId }: { orderId: string }) {
  return (
    <Suspense>
      <OrderWatch orderId={orderId} />
    </Suspense>
  );
}

/** Refreshes the page a limited number of times, until the receipt has its number. */
export function AwaitReceiptNumber({ times }: { times: number }) {
  useRefreshing(true, 2_500, times);
  return null;
}
