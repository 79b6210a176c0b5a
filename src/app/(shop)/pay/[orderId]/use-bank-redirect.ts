import { useEffect, useState } from 'react';

/** Long enough to read where the page is going. */
const readMs = 1_500;

/**
 * Opens the bank's page by itself, once, in the tab in which the shopper has just paid. A shopper who came back from there
 * without confirming, or who opens the page again, decides with the button.
 */
export function useBankRedirect(actionUrl: string | undefined): {
  readonly opening: boolean;
  /** Called when the shopper pays. */
  expect(): void;
  /** Called when the shopper has decided otherwise. */
  stay(): void;
} {
  const [expected, setExpected] = useState(false);
  const opening = expected && actionUrl !== undefined;
  useEffect(() => {
    if (!opening) return;
    const timer = setTimeout(() => {
      setExpected(false);
      window.location.assign(actionUrl);
    }, readMs);
    return () => clearTimeout(timer);
  }, [opening, actionUrl]);
  return { opening, expect: () => setExpected(true), stay: () => setExpected(false) };
}
