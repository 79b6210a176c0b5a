import type { Metadata } from 'next';
import { cache, Suspense } from 'react';
import { DemoSummary } from '#app/(shop)/pay/[orderId]/demo/demo-summary.tsx';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { services } from '#server/services.ts';
import { BesideDemo } from '#ui/demo/beside-demo.tsx';
import { isPaid, isUnderWay, orderStatusOf } from '#ui/receipt/order-status.ts';
import { ChargesLoading } from '#ui/receipt/receipt-charges.tsx';
import { ReceiptFacts } from '#ui/receipt/receipt-facts.tsx';
import { ReceiptHeading } from '#ui/receipt/receipt-heading.tsx';
import { ReceiptLines } from '#ui/receipt/receipt-lines.tsx';
import { ReceiptPayments } from '#ui/receipt/receipt-payments.tsx';
import { ReceiptRefunds } from '#ui/receipt/receipt-refunds.tsx';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { CancelForm } from './cancel-form.tsx';
import { AwaitReceiptNumber, FollowOrder } from './follow-order.tsx';
import { PrintButton } from './print-button.tsx';
import { ProviderCharges } from './provider-charges.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ orderId: string }>;
}

const loadOrder = cache(async (orderId: string) => orNotFound((await serverApi()).shop.order({ orderId })));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const order = await loadOrder((await params).orderId);
  const name = isPaid(orderStatusOf(order)) ? 'Receipt' : 'Order';
  return {
    title: { absolute: `${name} ${order.number} · ${order.shop.name}` },
    robots: { index: false, follow: false },
  };
}

export default async function OrderPage({ params }: Props) {
  const order = await loadOrder((await params).orderId);
  const status = orderStatusOf(order);
  const paid = order.attempts.find(({ status }) => status === 'succeeded');
  const underWay = isUnderWay(status);
  const { demo } = services().settings;
  return (
    <ShopFrame shop={order.shop} trail={paid && <PrintButton />}>
      {underWay && <FollowOrder orderId={order.id} />}
      {/* The worker issues the receipt's number shortly after the payment; a minute of refreshing is enough. */}
      {paid && paid.receiptNumber === null && <AwaitReceiptNumber times={24} />}
      <BesideDemo demo={paid && demo && <DemoSummary order={{ id: order.id, total: order.total }} />}>
        <div className="mx-auto w-full max-w-2xl px-5 py-10 sm:px-8 sm:py-14 print:max-w-none print:px-0 print:py-2">
          <ReceiptHeading
            status={status}
            total={order.total}
            orderId={order.id}
            shop={order.shop}
            number={order.number}
          />
          <ReceiptLines order={order} />
          <ReceiptRefunds refunds={order.refunds} />
          <ReceiptFacts order={order} payment={paid} />
          <ReceiptPayments payments={order.attempts} />
          {/* Hidden while an outcome is unknown, because the list could contradict it. */}
          {order.attempts.length > 0 && !underWay && (
            <Suspense fallback={<ChargesLoading />}>
              <ProviderCharges orderId={order.id} />
            </Suspense>
          )}
          {!paid && order.cancelledAt === null && <CancelForm orderId={order.id} underWay={underWay} />}
        </div>
      </BesideDemo>
    </ShopFrame>
  );
}
