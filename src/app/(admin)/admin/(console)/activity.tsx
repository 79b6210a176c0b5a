'use client';

import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';

const everyMs = 60_000;

/** Says that the person is there, at most once a minute and only when they do something. Without it the session ends. */
export function Activity() {
  const { mutate } = useMutation(useTRPC().account.active.mutationOptions());
  useEffect(() => {
    let lastSent = 0;
    const report = () => {
      if (Date.now() - lastSent < everyMs) return;
      lastSent = Date.now();
      mutate();
    };
    const events = ['pointerdown', 'keydown', 'scroll'] as const;
    for (const event of events) addEventListener(event, report, { passive: true });
    return () => {
      for (const event of events) removeEventListener(event, report);
    };
  }, [mutate]);
  return null;
}
