import type { Metadata } from 'next';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Art } from '#ui/product-art.tsx';
import { CartNotices } from '#ui/shop/cart-notices.tsx';
import { EmptyCart } from '#ui/shop/empty-cart.tsx';
import { tidyCart } from '../actions.ts';
import { loadCart } from '../cart-cookie.ts';
import { ShopPage } from '../shop-page.tsx';
import { CartForm } from './cart-form.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Cart' };

interface Props {
  readonly params: Promise<{ shop: string }>;
  readonly searchParams: Promise<{ 'too-much'?: string }>;
}

export default async function CartPage({ params, searchParams }: Props) {
  const { shop: slug } = await params;
  const api = await serverApi();
  const shop = await orNotFound(api.shop.get({ slug }));
  const cart = await loadCart(slug);
  return (
    <ShopPage shop={shop} isCart>
      <div className="mx-auto w-full max-w-6xl px-5 pt-10 pb-20 sm:px-8 sm:pt-14">
        <h1 tabIndex={-1} className="font-semibold text-3xl tracking-[-0.025em] outline-none sm:text-4xl">
          Your cart
        </h1>
        <CartNotices
          shop={shop}
          gone={cart.gone}
          tidy={tidyCart}
          pending={cart.pending}
          underReview={cart.underReview}
          paid={cart.paid}
          tooMuch={(await searchParams)['too-much'] !== undefined}
        />
        {cart.total ? (
          <CartForm
            shop={shop.slug}
            currency={cart.total.currency}
            lines={cart.lines.map(({ art, ...line }) => ({ ...line, art: <Art name={art} /> }))}
          />
        ) : (
          <EmptyCart shop={shop} art={shop.products.slice(0, 3).map(({ art }) => art)} />
        )}
      </div>
    </ShopPage>
  );
}
