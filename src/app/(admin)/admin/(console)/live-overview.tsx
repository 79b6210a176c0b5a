'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { useChanges } from './changes.tsx';

/** The overview reads many indexes: at most one rendering in this time, however much changes. */
const pauseMs = 5_000;

/** Renders the overview again when operations have changed. */
export function LiveOverview() {
  const router = useRouter();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useChanges(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      if (!document.hidden) router.refresh();
    }, pauseMs);
  });
  return null;
}
