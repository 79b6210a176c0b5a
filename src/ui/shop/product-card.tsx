import Link from 'next/link';
import type { ReactNode } from 'react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { Art } from '#ui/product-art.tsx';

type Product = RouterOutputs['shop']['get']['products'][number];

/** `action` is the form that adds the product to the cart. The link of the name covers the whole card. */
export function ProductCard(props: {
  product: Product;
  href: string;
  action: ReactNode;
  level?: 'h2' | 'h3';
}) {
  const { product, level: Heading = 'h2' } = props;
  return (
    <article className="group relative flex h-full flex-col">
      <div className="aspect-[5/4] overflow-hidden rounded-2xl bg-art-ground p-[9%]">
        <div className="size-full transition-transform duration-300 ease-out group-hover:scale-[1.04]">
          <Art name={product.art} />
        </div>
      </div>
      <div className="mt-3 flex flex-1 flex-col sm:mt-4">
        <div className="flex flex-col justify-between gap-x-4 sm:flex-row sm:flex-wrap sm:items-baseline">
          <Heading className="wrap-anywhere min-w-0 font-medium text-[0.9375rem] tracking-tight sm:text-[1.0625rem]">
            <Link
              href={props.href}
              className="underline-offset-4 after:absolute after:inset-0 after:rounded-2xl group-hover:underline focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:outline-offset-4"
            >
              {product.name}
            </Link>
          </Heading>
          <p className="money text-[0.9375rem] text-ink-soft sm:font-medium sm:text-[1.0625rem] sm:text-ink">
            <Amount of={product.price} />
          </p>
        </div>
        <p className="mt-1 mb-4 max-w-[38ch] text-ink-soft text-sm leading-6 max-sm:hidden">
          {product.description}
        </p>
        {/* Above the link that covers the card. */}
        <div className="relative z-10 mt-auto max-sm:pt-3">{props.action}</div>
      </div>
    </article>
  );
}
