import { ArrowLeft } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { redirect } from 'next/navigation';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { prefetch, prefetched, serverApi, trpcOfServer } from '#app/trpc/server.ts';
import { services } from '#server/services.ts';
import { OrderSummary } from '#ui/pay/order-summary.tsx';
import { PayLayout } from '#ui/pay/pay-layout.tsx';
import { mayBePaid, orderStatusOf } from '#ui/receipt/order-status.ts';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { offeredCards } from '../cards.ts';
import { DemoBar } from './demo/demo-bar.tsx';
import { silenceSecondsFor } from './demo/silence-seconds.ts';
import { PayForm } from './pay-form.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Pay' };

export default async function PayPage({ params }: { params: Promise<{ orderId: string }> }) {
  const { orderId } = await params;
  const api = await serverApi();
  // Before the order, so that the watch refreshes the page if a payment changes in between.
  await orNotFound(prefetch(trpcOfServer.payments.ofOrder.queryOptions({ orderId })));
  const order = await orNotFound(api.shop.order({ orderId }));
  // Its page says why not.
  if (!mayBePaid(orderStatusOf(order))) redirect(`/orders/${order.id}`);
  const { provider, demo, SMTP_URL, STRIPE_PUBLISHABLE_KEY, PROVIDER_TIMEOUT_MS } = services().settings;
  // The sandbox does not have Stripe's payment methods.
  const publishableKey = provider === 'stripe' ? STRIPE_PUBLISHABLE_KEY : undefined;

  return (
    <ShopFrame
      shop={order.shop}
      fullWidth={demo}
      trail={
        <Link
          href={`/s/${order.shop.slug}/cart`}
          // Most shoppers go on to pay.
          prefetch={false}
          className="-mr-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden="true" />
          Back to the cart
        </Link>
      }
    >
      <ApiProvider state={prefetched()}>
        <PayLayout
          summary={<OrderSummary order={order} payee={order.shop.name} />}
          form={
            <PayForm
              order={order}
              cards={publishableKey ? { publishableKey } : await offeredCards()}
              sandbox={provider === 'sandbox'}
              contactEmail={order.shop.contactEmail ?? undefined}
              sendsEmails={SMTP_URL !== undefined}
              renderedAt={Date.now()}
              pending={order.payments.some(({ status }) => status === 'pending')}
            />
          }
          demo={
            demo && (
              <DemoBar
                order={{ id: order.id, total: order.total }}
                silenceSeconds={silenceSecondsFor(PROVIDER_TIMEOUT_MS)}
              />
            )
          }
        />
      </ApiProvider>
    </ShopFrame>
  );
}
