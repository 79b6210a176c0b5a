import type { ReactNode } from 'react';

/** A page with the demo's panel in the same position as on the pay page, and its content at the left edge as there. */
export function BesideDemo({ demo, children }: { demo: ReactNode; children: ReactNode }) {
  if (!demo) return children;
  return (
    <div className="grid flex-1 lg:grid-cols-[minmax(0,1fr)_27rem] xl:grid-cols-[minmax(0,1fr)_29rem] print:block">
      <div className="lg:*:mx-0">{children}</div>
      <div className="border-line border-t bg-surface lg:border-t-0 lg:border-l print:hidden">{demo}</div>
    </div>
  );
}
