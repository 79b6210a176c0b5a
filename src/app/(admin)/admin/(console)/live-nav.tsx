'use client';

import type { ReactNode } from 'react';
import { ConsoleNav } from '#ui/admin/console-nav.tsx';
import { useLiveAttention } from './use-attention.ts';

/** The navigation with the numbers of what is open in each section. */
export function LiveNav({ children }: { children: ReactNode }) {
  const attention = useLiveAttention();
  return (
    <ConsoleNav
      counts={
        attention && {
          '/admin/operations': { count: attention.unknown, what: 'unknown' },
          '/admin/queue': { count: attention.queue, what: 'waiting', urgent: true },
          '/admin/proposals': { count: attention.approvals, what: 'waiting', urgent: true },
          '/admin/exceptions': { count: attention.exceptions, what: 'waiting', urgent: true },
        }
      }
    >
      {children}
    </ConsoleNav>
  );
}
