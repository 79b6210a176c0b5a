'use client';

import { useRouter } from 'next/navigation';
import { useCallback } from 'react';
import { serverResponds } from '#app/server-responds.ts';

/** Has the server render the page again, if the server responds. */
export function useRefresh(): () => Promise<void> {
  const router = useRouter();
  return useCallback(async () => {
    if (await serverResponds(new AbortController().signal)) router.refresh();
  }, [router]);
}
