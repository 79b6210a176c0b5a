'use client';

import { useEffect } from 'react';
import { takeArrival } from '#app/(shop)/arrival.ts';

/**
 * The page has changed without a load, and the button that had the focus is gone: the heading takes it, so that a screen
 * reader reads the outcome and Tab continues from the top. After a load the browser decides.
 */
export function FocusHeading(): null {
  useEffect(() => {
    if (takeArrival()) document.querySelector('h1')?.focus();
  }, []);
  return null;
}
