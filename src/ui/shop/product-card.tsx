import type { ReactNode } from 'react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Art } from '../art/art.tsx';

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly art: string;
  readonly price: Money;
}

/** `action` is the Buy button; the shelf does not know how buying works. */
export function ProductCard({ product, action }: { product: Product; action: ReactNode }) {
  return (
    <article className="group flex h-full flex-col">
      <div className="aspect-[5/4] overflow-hidden rounded-2xl bg-art-ground p-[9%]">
        <div className="size-full transition-transform duration-300 ease-out group-hover:scale-[1.04]">
          <Art name={product.art} />
        </div>
      </div>
      <div className="mt-4 flex flex-1 flex-col">
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <h2 className="font-medium text-[1.0625rem] tracking-tight">{product.name}</h2>
          <p className="money font-medium text-[1.0625rem]">{formatMoney(product.price)}</p>
        </div>
        <p className="mt-1 mb-4 max-w-[38ch] text-ink-soft text-sm leading-6">{product.description}</p>
        <div className="mt-auto">{action}</div>
      </div>
    </article>
  );
}
