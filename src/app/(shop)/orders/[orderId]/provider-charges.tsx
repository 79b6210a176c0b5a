import { ReceiptCharges } from '#ui/receipt/receipt-charges.tsx';
import { serverApi } from '#app/trpc/server.ts';

/** Asks the provider, and is streamed in when it has answered: the rest of the receipt does not wait for it. */
export async function ProviderCharges({ orderId }: { orderId: string }) {
  const api = await serverApi();
  return <ReceiptCharges asked={await api.shop.charges({ orderId })} />;
}
