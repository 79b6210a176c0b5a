import type { Metadata } from 'next';
import { cache, Suspense } from 'react';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { prefetch, prefetched, serverApi, trpcOfServer } from '#app/trpc/server.ts';
import { services } from '#server/services.ts';
import { BesideDemo } from '#ui/demo/beside-demo.tsx';
import { OrderLines } from '#ui/order-lines.tsx';
import { isPaid, isPaidFor, isUnderReview, isUnderWay, orderStatusOf } from '#ui/receipt/order-status.ts';
import { ChargesLoading } from '#ui/receipt/receipt-charges.tsx';
import { ReceiptFacts } from '#ui/receipt/receipt-facts.tsx';
import { ReceiptHeading } from '#ui/receipt/receipt-heading.tsx';
import { ReceiptPayments } from '#ui/receipt/receipt-payments.tsx';
import { ReceiptRefunds } from '#ui/receipt/receipt-refunds.tsx';
import { ContactLink } from '#ui/shop/shop-contact.tsx';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { AnnounceOutcome } from './announce-outcome.tsx';
import { cancelCopy } from './cancel-copy.ts';
import { CancelForm } from './cancel-form.tsx';
import { CurrentOrder } from './current-order.tsx';
import { DemoEpilogue } from './demo-epilogue.tsx';
import { FocusHeading } from './focus-heading.tsx';
import { PrintButton } from './print-button.tsx';
import { ProviderCharges } from './provider-charges.tsx';
import { WatchOrder } from './watch-order.tsx';

export const dynamic = 'force-dynamic';

interface Props {
  readonly params: Promise<{ orderId: string }>;
}

const loadOrder = cache(async (orderId: string) => {
  // Before the order, so that the watch refreshes the page if a payment changes in between.
  await orNotFound(prefetch(trpcOfServer.payments.ofOrder.queryOptions({ orderId })));
  return orNotFound((await serverApi()).shop.order({ orderId }));
});

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
  const paid = order.payments.find(({ status }) => status === 'succeeded');
  const underWay = isUnderWay(status);
  const open = underWay || isUnderReview(status);
  const { demo } = services().settings;
  return (
    <ShopFrame shop={order.shop} fullWidth={Boolean(paid) && demo} trail={paid && <PrintButton />}>
      <FocusHeading />
      <AnnounceOutcome status={status} open={open} />
      <CurrentOrder renderedAt={Date.now()} />
      {/* The worker issues the receipt's number shortly after the payment. */}
      {(open || paid?.receiptNumber === null) && <WatchOrder orderId={order.id} state={prefetched()} />}
      <BesideDemo demo={paid && demo && <DemoEpilogue order={{ id: order.id, total: order.total }} />}>
        <div className="mx-auto w-full max-w-2xl px-5 py-10 sm:px-8 sm:py-14 print:max-w-none print:px-0 print:py-2">
          <ReceiptHeading
            status={status}
            total={order.total}
            payments={order.payments}
            orderId={order.id}
            shop={order.shop}
            number={order.number}
            refunds={order.refunds}
          />
          <section
            aria-label="Order"
            className="mt-8 rounded-2xl border border-line bg-surface px-5 py-3 shadow-card sm:px-7 sm:py-4 print:mt-4 print:rounded-none print:border-0 print:px-0 print:py-0 print:shadow-none"
          >
            <OrderLines order={order} />
          </section>
          <ReceiptRefunds refunds={order.refunds} />
          <ReceiptFacts order={order} payment={paid} receipt={order.receipt} />
          <ReceiptPayments payments={order.payments} />
          {/* Hidden while an outcome is unknown, because the list could contradict it. */}
          {order.payments.length > 0 && !underWay && (
            <Suspense fallback={<ChargesLoading />}>
              <ProviderCharges orderId={order.id} />
            </Suspense>
          )}
          {order.shop.contactEmail && (
            <p className="mt-8 text-ink-soft text-sm leading-6 print:mt-4">
              Questions about this order? Write to{' '}
              <ContactLink email={order.shop.contactEmail} reference={order.number} /> and quote{' '}
              <span className="font-mono">{order.number}</span>.
            </p>
          )}
          {!isPaidFor(order) && order.cancelledAt === null && (
            <CancelForm orderId={order.id} consequence={cancelCopy(order.payments)} />
          )}
        </div>
      </BesideDemo>
    </ShopFrame>
  );
}
