import type { Metadata } from 'next';
import { house } from '#server/wiring.ts';
import { OrderLinesList } from '#ui/pay/order-summary.tsx';
import { ReceiptAttempts } from '#ui/receipt/receipt-attempts.tsx';
import { ReceiptFacts } from '#ui/receipt/receipt-facts.tsx';
import { ReceiptHeading } from '#ui/receipt/receipt-heading.tsx';
import { ShopFrame } from '#ui/shop/shop-frame.tsx';
import { orNotFound } from '../../../trpc/or-not-found.ts';
import { serverApi } from '../../../trpc/server.ts';
import { Epilogue } from '../../pay/[orderId]/demo/epilogue.tsx';
import { PrintButton } from './print-button.tsx';
import { Refreshing } from './refreshing.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Receipt' };

export default async function OrderPage({ params }: { params: Promise<{ orderId: string }> }) {
  const { orderId } = await params;
  const api = await serverApi();
  const order = await orNotFound(api.shop.order({ orderId }));
  const paid = order.attempts.find(({ status }) => status === 'succeeded');
  const pending = order.attempts.some(({ status }) => status === 'pending');
  const standing = paid ? 'paid' : pending ? 'pending' : 'open';
  return (
    <ShopFrame shop={order.shop} trail={paid && <PrintButton />}>
      {/* The receipt's number is issued by the worker a moment after the payment; a minute of asking is plenty. */}
      {standing === 'pending' && <Refreshing />}
      {paid && paid.receiptNumber === null && <Refreshing times={24} />}
      <div className="mx-auto w-full max-w-xl px-5 py-10 sm:px-8 sm:py-16 print:py-4">
        <ReceiptHeading standing={standing} total={order.total} orderId={order.id} payee={order.shop.name} />
        <section
          aria-label="Order"
          className="mt-8 rounded-2xl border border-line bg-surface px-5 py-4 shadow-card sm:px-7 sm:py-5 print:rounded-none print:border-0 print:px-0 print:shadow-none"
        >
          <OrderLinesList order={order} />
        </section>
        <ReceiptFacts number={order.number} orderedAt={order.createdAt} payment={paid} />
        <ReceiptAttempts attempts={order.attempts} />
        {paid && house().settings.demo && <Epilogue order={order} />}
      </div>
    </ShopFrame>
  );
}
