'use client';

import { type ComponentProps, lazy, Suspense } from 'react';

/** Loaded lazily, because it brings tRPC and TanStack Query, which the page needs only while something may change. */
const OrderWatch = lazy(() => import('#app/(shop)/use-order-watch.tsx'));

/** Refreshes the page when the order's payments change. */
export function WatchOrder(props: ComponentProps<typeof OrderWatch>) {
  return (
    <Suspense>
      <OrderWatch {...props} />
    </Suspense>
  );
}
