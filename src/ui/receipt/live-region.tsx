'use client';

import { type ReactNode, useState } from 'react';

/**
 * Announces changes to screen readers. Once on, it stays on: the change that ends what was announced is the one that
 * matters, and a region that is none any more at that moment says nothing.
 */
export function LiveRegion({ on, children }: { on: boolean; children: ReactNode }) {
  const [live, setLive] = useState(on);
  if (on && !live) setLive(true);
  return <div role={live ? 'status' : undefined}>{children}</div>;
}
