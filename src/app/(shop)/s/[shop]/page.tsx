import type { Metadata } from 'next';
import { cache } from 'react';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { identityOf } from '#ui/shop/identity.ts';
import { ProductCard } from '#ui/shop/product-card.tsx';
import { AddForm } from './add-form.tsx';
import { ShopPage } from './shop-page.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ shop: string }>;
}

const loadShop = cache(async (slug: string) => orNotFound((await serverApi()).shop.get({ slug })));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { name, slug } = await loadShop((await params).shop);
  return { title: { absolute: name }, description: identityOf(slug).promise };
}

export default async function CataloguePage({ params }: Props) {
  const shop = await loadShop((await params).shop);
  const { eyebrow, promise, story } = identityOf(shop.slug);
  return (
    <ShopPage shop={shop}>
      <section className="mx-auto w-full max-w-6xl px-5 pt-12 pb-10 sm:px-8 sm:pt-20 sm:pb-14">
        <p className="font-medium text-accent-ink text-sm">{eyebrow}</p>
        <h1 className="mt-2 max-w-[16ch] font-semibold text-4xl leading-[1.06] tracking-[-0.03em] sm:text-6xl">
          {promise}
        </h1>
        <p className="mt-4 max-w-[48ch] text-ink-soft text-lg leading-8">{story}</p>
      </section>
      <section aria-label="Products" className="mx-auto w-full max-w-6xl px-5 pb-20 sm:px-8">
        {shop.products.length === 0 ? (
          <p className="rounded-2xl border border-line border-dashed px-6 py-12 text-center text-ink-soft">
            The shelves are empty today.
          </p>
        ) : (
          <ul className="grid grid-cols-2 gap-x-4 gap-y-10 sm:gap-x-8 sm:gap-y-12 lg:grid-cols-3">
            {shop.products.map((product) => (
              <li key={product.id}>
                <ProductCard
                  product={product}
                  href={`/s/${shop.slug}/${product.slug}`}
                  action={<AddForm shop={shop.slug} product={{ slug: product.slug, name: product.name }} />}
                />
              </li>
            ))}
          </ul>
        )}
      </section>
    </ShopPage>
  );
}
