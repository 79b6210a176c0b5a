'use client';

import { lazy, Suspense } from 'react';
import type { DemoOrder } from '#app/(shop)/pay/[orderId]/demo/demo-bar.tsx';

/** Loaded lazily: most pages of orders do not show it. */
const DemoSummary = lazy(() => import('#app/(shop)/pay/[orderId]/demo/demo-summary.tsx'));

/** Beside the receipt, in the demo only. */
export function DemoEpilogue({ order }: { order: DemoOrder }) {
  return (
    <Suspense>
      <DemoSummary order={order} />
    </Suspense>
  );
}
