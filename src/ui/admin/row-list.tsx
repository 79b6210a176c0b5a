import type { ReactNode } from 'react';

/** Rows with actions: below each other on a phone, side by side on wider screens. */
export function RowList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul
      aria-label={label}
      className="mt-6 divide-y divide-line rounded-2xl border border-line bg-surface shadow-card"
    >
      {children}
    </ul>
  );
}

export function Row({ action, children }: { action: ReactNode; children: ReactNode }) {
  return (
    <li className="flex flex-col gap-3 px-5 py-4 sm:flex-row sm:items-center sm:justify-between">
      <div className="min-w-0">{children}</div>
      {action}
    </li>
  );
}
