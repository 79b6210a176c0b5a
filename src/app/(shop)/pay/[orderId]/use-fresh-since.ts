import { useState } from 'react';

/**
 * Whether the server has rendered the page again since an event in the browser. Until then, what the page shows about
 * the order is older than the event.
 */
export function useFreshSince(event: object | undefined, renderedAt: number): boolean {
  const [last, setLast] = useState({ event, renderedAt });
  if (last.event !== event) setLast({ event, renderedAt });
  return event === undefined || (last.event === event && last.renderedAt !== renderedAt);
}
