import type { Metadata } from 'next';
import { cache, Suspense } from 'react';
import { house } from '#server/services.ts';
import { BesideDemo } from '#ui/demo/beside-demo.tsx';
import { ReceiptAttempts } from '#ui/receipt/receipt-attempts.tsx';
import { ChargesBeingAsked } from '#ui/receipt/receipt-charges.tsx';
import { ReceiptFacts } from '#ui/receipt/receipt-facts.tsx';
import { ReceiptHeading } from '#ui/receipt/receipt-heading.tsx';
import { ReceiptLines } from '#ui/receipt/receipt-lines.tsx';
import { ReceiptRefunds } from '#ui/receipt/receipt-refunds.tsx';
import { isPaid, isUnderWay, standingOf } from '#ui/receipt/order-status.ts';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Epilogue } from '#app/(shop)/pay/[orderId]/demo/epilogue.tsx';
import { CancelForm } from './cancel-form.tsx';
import { FollowOrder } from './follow-order.tsx';
import { PrintButton } from './print-button.tsx';
import { ProviderCharges } from './provider-charges.tsx';
import { Refreshing } from './refreshing.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ orderId: string }>;
}

const loadOrder = cache(async (orderId: string) => orNotFound((await serverApi()).shop.order({ orderId })));

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const order = await loadOrder((await params).orderId);
  const name = isPaid(standingOf(order)) ? 'Receipt' : 'Order';
  return {
    title: { absolute: `${name} ${order.number} · ${order.shop.name}` },
    robots: { index: false, follow: false },
  };
}

export default async function OrderPage({ params }: Props) {
  const order = await loadOrder((await params).orderId);
  const standing = standingOf(order);
  const paid = order.attempts.find(({ status }) => status === 'succeeded');
  const underWay = isUnderWay(standing);
  const { demo } = house().settings;
  return (
    <ShopFrame shop={order.shop} trail={paid && <PrintButton />}>
      {underWay && <FollowOrder orderId={order.id} />}
      {/* The receipt's number is issued by the worker a moment after the payment; a minute of asking is plenty. */}
      {paid && paid.receiptNumber === null && <Refreshing times={24} />}
      <BesideDemo demo={paid && demo && <Epilogue order={{ id: order.id, total: order.total }} />}>
        <div className="mx-auto w-full max-w-2xl px-5 py-10 sm:px-8 sm:py-14 print:max-w-none print:px-0 print:py-2">
          <ReceiptHeading
            standing={standing}
            total={order.total}
            orderId={order.id}
            shop={order.shop}
            number={order.number}
          />
          <ReceiptLines order={order} />
          <ReceiptRefunds refunds={order.refunds} />
          <ReceiptFacts order={order} payment={paid} />
          <ReceiptAttempts attempts={order.attempts} />
          {/* While the bank is being asked already, a second question would only bring a second kind of answer. */}
          {order.attempts.length > 0 && !underWay && (
            <Suspense fallback={<ChargesBeingAsked />}>
              <ProviderCharges orderId={order.id} />
            </Suspense>
          )}
          {!paid && order.cancelledAt === null && <CancelForm orderId={order.id} underWay={underWay} />}
        </div>
      </BesideDemo>
    </ShopFrame>
  );
}
