import type { ReactNode } from 'react';

/** Every illustration stands on the same floor in the same frame, so that a shelf of them looks like a shelf. */
export function Canvas({ children, shade = 62 }: { children: ReactNode; shade?: number }) {
  return (
    <svg viewBox="0 0 200 160" className="block size-full" aria-hidden="true">
      <ellipse cx="100" cy="139" rx={shade} ry="5" fill="#000" opacity="0.12" />
      {children}
    </svg>
  );
}
