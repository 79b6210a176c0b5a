import { ArrowRight } from 'lucide-react';
import Link from 'next/link';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Art } from '#ui/product-art.tsx';
import { identityOf } from './identity.ts';

export function ShopCard({ shop }: { shop: RouterOutputs['shop']['list'][number] }) {
  const { promise, eyebrow } = identityOf(shop.slug);
  return (
    <Link
      href={`/s/${shop.slug}`}
      data-shop={shop.slug}
      className="group flex flex-col overflow-hidden rounded-3xl border border-line bg-surface shadow-card transition-shadow duration-200 hover:shadow-lift"
    >
      <span className="grid grid-cols-3 gap-2 bg-art-ground px-5 pt-8 pb-5 sm:px-8">
        {shop.art.map((name) => (
          <Art key={name} name={name} />
        ))}
      </span>
      <span className="flex items-end justify-between gap-4 px-6 py-5 sm:px-8 sm:py-6">
        <span className="wrap-anywhere min-w-0">
          <span className="block font-medium text-accent-ink text-sm">{eyebrow}</span>
          <span className="mt-1 block font-semibold text-xl tracking-tight">{shop.name}</span>
          <span className="mt-0.5 block text-ink-soft text-sm">{promise}</span>
        </span>
        <span
          aria-hidden="true"
          className="grid size-11 shrink-0 place-items-center rounded-full bg-accent text-on-accent transition-transform duration-200 group-hover:translate-x-1"
        >
          <ArrowRight className="size-5" />
        </span>
      </span>
    </Link>
  );
}
