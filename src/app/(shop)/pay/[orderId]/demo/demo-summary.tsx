'use client';

import { ApiProvider } from '#app/trpc/provider.tsx';
import { useFormatMoney } from '#ui/amount.tsx';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { Notice } from '#ui/notice.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';
import type { DemoOrder } from './demo-bar.tsx';
import { type DemoCopy, demoCopy } from './demo-copy.ts';
import { DemoLog, DemoReadings } from './demo-readings.tsx';
import { keyOf } from './journal.ts';
import { NewOrder } from './new-order.tsx';
import { useFaultyNetwork } from './order-network.ts';
import { chargesOf, countRefunded, useReadings } from './use-readings.ts';

/** Beside the receipt: what was sent from this tab, and the outcome. */
export default function DemoSummary({ order }: { order: DemoOrder }) {
  return (
    <ApiProvider>
      <Summary order={order} />
    </ApiProvider>
  );
}

function Summary({ order }: { order: DemoOrder }) {
  const network = useFaultyNetwork(order.id);
  const hydrated = useHydrated();
  const format = useFormatMoney();
  const readings = useReadings(order.id, keyOf(network, undefined), false);
  const paidHere = network.requests.length > 0;
  const copy: DemoCopy = readings
    ? demoCopy({
        ...network,
        cut: false,
        silent: false,
        awaitsShopper: false,
        status: readings.record?.status,
        charges: chargesOf(readings).length,
        refunded: countRefunded(readings),
        amount: format(order.total),
      })
    : hydrated && !paidHere
      ? elsewhere
      : { tone: 'busy', title: 'Looking into the bank’s ledger…', body: '' };
  return (
    <DemoPanel title="What just happened" intro="Seen from this tab, and in the bank’s own ledger.">
      {paidHere && <DemoReadings network={network} readings={readings} nextKey={undefined} />}
      <div aria-live="polite" aria-atomic="true" className="grid min-h-30">
        <Notice tone={copy.tone} title={copy.title} className="items-center">
          {copy.body}
        </Notice>
      </div>
      <NewOrder orderId={order.id} />
      {paidHere && <DemoLog requests={network.requests} />}
    </DemoPanel>
  );
}

const elsewhere: DemoCopy = {
  tone: 'plain',
  title: 'This order was not paid from this tab.',
  body: 'So there is nothing to sum up. A new order can be spoilt in new ways.',
};
