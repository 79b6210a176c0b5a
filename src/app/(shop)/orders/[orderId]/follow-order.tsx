'use client';

import { lazy, Suspense } from 'react';

/** Only a page that has something to follow loads what it takes to follow it. */
const Watch = lazy(() => import('./watch.tsx'));

export function FollowOrder({ orderId }: { orderId: string }) {
  return (
    <Suspense>
      <Watch orderId={orderId} />
    </Suspense>
  );
}
