import { ArrowLeft } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { house } from '#server/wiring.ts';
import { OrderSummary } from '#ui/pay/order-summary.tsx';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { orNotFound } from '../../../trpc/or-not-found.ts';
import { serverApi } from '../../../trpc/server.ts';
import { offeredCards } from '../cards.ts';
import { PayForm } from './pay-form.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Pay' };

export default async function PayPage({ params }: { params: Promise<{ orderId: string }> }) {
  const { orderId } = await params;
  const api = await serverApi();
  const order = await orNotFound(api.shop.order({ orderId }));
  if (order.attempts.some(({ status }) => status === 'succeeded')) redirect(`/orders/${order.id}`);
  const { provider, STRIPE_PUBLISHABLE_KEY } = house().settings;
  // A card that Stripe knows means nothing to the sandbox.
  const publishableKey = provider === 'stripe' ? STRIPE_PUBLISHABLE_KEY : undefined;

  return (
    <ShopFrame
      shop={order.shop}
      trail={
        <Link
          href={`/s/${order.shop.slug}`}
          className="-mr-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          Back to the shop
        </Link>
      }
    >
      <div className="grid flex-1 lg:grid-cols-2">
        <div className="bg-sunken px-5 py-8 sm:px-8 lg:py-20">
          <div className="mx-auto max-w-md lg:mr-16 lg:ml-auto">
            <OrderSummary order={order} payee={order.shop.name} />
          </div>
        </div>
        <div className="px-5 py-8 sm:px-8 lg:py-20">
          <div className="mx-auto max-w-md lg:mr-auto lg:ml-16">
            <PayForm
              order={order}
              cards={publishableKey ? { publishableKey } : await offeredCards()}
              sandbox={provider === 'sandbox'}
              renderedAt={Date.now()}
              pending={order.attempts.some(({ status }) => status === 'pending')}
            />
          </div>
        </div>
      </div>
    </ShopFrame>
  );
}
