'use client';

import { formatMoney } from '#payments/money.ts';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { Notice } from '#ui/notice.tsx';
import type { DemoOrder } from './demo-bar.tsx';
import { DemoLog, DemoReadings } from './demo-readings.tsx';
import { keyOf } from './journal.ts';
import { NewOrder } from './new-order.tsx';
import { sceneWords } from './scene-words.ts';
import { useLine } from './use-line.ts';
import { countCharged, useReadings } from './use-readings.ts';

/** The end of the story, under the receipt: what was sent from this tab, and what it came to. */
export function Epilogue({ order }: { order: DemoOrder }) {
  const line = useLine(order.id);
  const readings = useReadings(order.id, keyOf(line, undefined), false);
  const words = sceneWords({
    ...line,
    cut: false,
    silent: false,
    status: readings?.record?.status,
    charges: countCharged(readings),
    amount: formatMoney(order.total),
  });
  if (line.requests.length === 0) {
    return (
      <div className="mt-10 grid gap-3 print:hidden">
        <NewOrder orderId={order.id} />
      </div>
    );
  }
  return (
    <div className="mt-10 overflow-hidden rounded-2xl border border-line bg-surface shadow-card print:hidden">
      <DemoPanel
        title="What just happened"
        intro="As it was seen from this tab, and in the bank’s own ledger."
      >
        <div aria-live="polite" className="grid min-h-28">
          {readings ? (
            <Notice tone={words.tone} title={words.title} className="items-center">
              {words.body}
            </Notice>
          ) : (
            <Notice tone="busy" title="Looking into the bank’s ledger…" className="items-center" />
          )}
        </div>
        <DemoReadings line={line} readings={readings} nextKey={undefined} />
        <DemoLog story={line} />
        <NewOrder orderId={order.id} />
      </DemoPanel>
    </div>
  );
}
