import { randomUUID } from 'node:crypto';
import { ArrowLeft } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { cache } from 'react';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Amount } from '#ui/amount.tsx';
import { Art } from '#ui/product-art.tsx';
import { ProductCard } from '#ui/shop/product-card.tsx';
import { ProductDetails } from '#ui/shop/product-details.tsx';
import { AddForm } from '../add-form.tsx';
import { ShopPage } from '../shop-page.tsx';
import { Purchase } from './purchase.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ shop: string; product: string }>;
}

const loadProduct = cache(async (slug: string, product: string) =>
  orNotFound((await serverApi()).shop.product({ slug, product })),
);

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { shop: slug, product: name } = await params;
  const { shop, product } = await loadProduct(slug, name);
  return { title: { absolute: `${product.name} · ${shop.name}` }, description: product.description };
}

export default async function ProductPage({ params }: Props) {
  const slugs = await params;
  const { shop, product, others } = await loadProduct(slugs.shop, slugs.product);
  return (
    <ShopPage shop={shop}>
      <div className="mx-auto w-full max-w-6xl px-5 pt-4 pb-20 sm:px-8">
        <Link
          href={`/s/${shop.slug}`}
          className="-ml-2 inline-flex min-h-11 items-center gap-2 rounded-lg px-2 text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft className="size-4 shrink-0" aria-hidden="true" />
          <span className="wrap-anywhere min-w-0">All of {shop.name}</span>
        </Link>
        <div className="mt-2 grid gap-x-16 gap-y-8 lg:grid-cols-[1.15fr_1fr]">
          <div className="lg:sticky lg:top-8 lg:self-start">
            <div className="aspect-[5/4] rounded-3xl bg-art-ground p-[11%]">
              <Art name={product.art} />
            </div>
          </div>
          <div className="lg:pt-4">
            <h1 className="wrap-anywhere font-semibold text-3xl tracking-[-0.025em] sm:text-[2.625rem] sm:leading-[1.1]">
              {product.name}
            </h1>
            <p className="money mt-3 text-xl">
              <Amount of={product.price} />
            </p>
            <p className="mt-4 max-w-[46ch] text-ink-soft text-lg leading-8">{product.description}</p>
            <Purchase
              shop={shop.slug}
              product={{ slug: product.slug, name: product.name }}
              // One cart per rendering of the button, so that several clicks place one order.
              cartId={randomUUID()}
            />
            <ProductDetails story={product.story} details={product.details} />
          </div>
        </div>
        {others.length > 0 && (
          <section aria-labelledby="others-title" className="mt-20 border-line border-t pt-10">
            <h2 id="others-title" className="font-semibold text-2xl tracking-tight">
              From the same shelf
            </h2>
            <ul className="mt-6 grid grid-cols-2 gap-x-4 gap-y-10 sm:gap-x-6 lg:grid-cols-4">
              {others.map((other) => (
                <li key={other.id}>
                  <ProductCard
                    product={other}
                    level="h3"
                    href={`/s/${shop.slug}/${other.slug}`}
                    action={<AddForm shop={shop.slug} product={{ slug: other.slug, name: other.name }} />}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </ShopPage>
  );
}
