'use client';

import { ShoppingBag } from 'lucide-react';
import Link from 'next/link';
import { createContext, type ReactNode, useContext, useOptimistic } from 'react';

const Count = createContext({ shown: 0, add: (_more: number) => {} });

/** Provides the number of items in the cart to the components that show it or add to it. */
export function CartCount({ count, children }: { count: number; children: ReactNode }) {
  const [shown, add] = useOptimistic(count, (before, more: number) => before + more);
  return <Count value={{ shown, add }}>{children}</Count>;
}

/** Adds to the shown number until the server has responded. */
export function useAddToCount(): (more: number) => void {
  return useContext(Count).add;
}

export function CartLink({ shop, current = false }: { shop: string; current?: boolean | undefined }) {
  const { shown } = useContext(Count);
  return (
    <Link
      href={`/s/${shop}/cart`}
      aria-current={current ? 'page' : undefined}
      className="-mr-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-sm hover:bg-sunken"
    >
      <ShoppingBag className="size-5" aria-hidden="true" />
      Cart
      {shown > 0 && (
        <span className="money grid h-6 min-w-6 place-items-center rounded-full bg-accent px-1.5 text-on-accent text-xs">
          {shown}
          <span className="sr-only"> {shown === 1 ? 'thing' : 'things'} in it</span>
        </span>
      )}
    </Link>
  );
}
