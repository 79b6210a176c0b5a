import { useState } from 'react';

/**
 * Whether the server has rendered the page again since something happened in it. Until it has, what it said about the
 * order is older than the event and proves nothing about it.
 */
export function useFreshSince(event: object | undefined, renderedAt: number): boolean {
  const [seen, setSeen] = useState({ event, renderedAt });
  if (seen.event !== event) setSeen({ event, renderedAt });
  return event === undefined || (seen.event === event && seen.renderedAt !== renderedAt);
}
