'use client';

import { useRefreshing } from '#app/(shop)/use-refreshing.ts';

export function Refreshing({ times }: { times: number }) {
  useRefreshing(true, 2_500, times);
  return null;
}
