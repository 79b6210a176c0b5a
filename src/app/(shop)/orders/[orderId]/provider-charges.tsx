import { serverApi } from '#app/trpc/server.ts';
import { ReceiptCharges } from '#ui/receipt/receipt-charges.tsx';

/** Streamed when the provider has responded, so that the rest of the receipt does not wait for it. */
export async function ProviderCharges({ orderId }: { orderId: string }) {
  const api = await serverApi();
  return <ReceiptCharges result={await api.shop.charges({ orderId })} />;
}
