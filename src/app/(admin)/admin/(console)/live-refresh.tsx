'use client';

import { useRouter } from 'next/navigation';
import { useChanges } from './changes.tsx';

/** Renders the page again on the server when one of these operations has changed. */
export function LiveRefresh({ operationIds }: { operationIds: readonly string[] }) {
  const router = useRouter();
  useChanges((ids) => {
    if (ids.length === 0 || ids.some((id) => operationIds.includes(id))) router.refresh();
  });
  return null;
}
