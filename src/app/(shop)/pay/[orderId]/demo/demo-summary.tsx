'use client';

import { formatMoney } from '#payments/money.ts';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { Notice } from '#ui/notice.tsx';
import { useAlive } from '#ui/use-alive.ts';
import type { DemoOrder } from './demo-bar.tsx';
import { DemoLog, DemoReadings } from './demo-readings.tsx';
import { keyOf } from './journal.ts';
import { NewOrder } from './new-order.tsx';
import { type SceneWords, sceneWords } from './scene-copy.ts';
import { useLine } from './use-faulty-network.ts';
import { countCharged, useReadings } from './use-readings.ts';

/** The end of the story, beside the receipt: what was sent from this tab, and what it came to. */
export function Epilogue({ order }: { order: DemoOrder }) {
  const line = useLine(order.id);
  const alive = useAlive();
  const readings = useReadings(order.id, keyOf(line, undefined), false);
  const told = line.requests.length > 0;
  const words: SceneWords = readings
    ? sceneWords({
        ...line,
        cut: false,
        silent: false,
        status: readings.record?.status,
        charges: countCharged(readings),
        amount: formatMoney(order.total),
      })
    : alive && !told
      ? elsewhere
      : { tone: 'busy', title: 'Looking into the bank’s ledger…', body: '' };
  return (
    <DemoPanel title="What just happened" intro="Seen from this tab, and in the bank’s own ledger.">
      {told && <DemoReadings line={line} readings={readings} nextKey={undefined} />}
      <div aria-live="polite" aria-atomic="true" className="grid min-h-28">
        <Notice tone={words.tone} title={words.title} className="items-center">
          {words.body}
        </Notice>
      </div>
      {told && <DemoLog story={line} />}
      <NewOrder orderId={order.id} />
    </DemoPanel>
  );
}

const elsewhere: SceneWords = {
  tone: 'plain',
  title: 'This order was not paid from this tab.',
  body: 'So there is nothing to tell here. A new order can be spoilt in new ways.',
};
