'use client';

import { useEffect, useState } from 'react';
import { formatMoney, type Money } from '#payments/money.ts';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { ExperimentList } from '#ui/demo/experiment-list.tsx';
import { Mishap, Notice } from '#ui/notice.tsx';
import { layLine } from '#app/trpc/transport.ts';
import { DemoLog, DemoReadings } from './demo-readings.tsx';
import { type Experiment, experimentsFor } from './experiments.ts';
import { keyOf } from './journal.ts';
import { lineOf } from './network-faults.ts';
import { NewOrder } from './new-order.tsx';
import { isPayForm, useSeenForm } from './pay-button.ts';
import { sceneWords } from './scene-copy.ts';
import { useLine } from './use-faulty-network.ts';
import { countCharged, isUnsettled, useReadings } from './use-readings.ts';

/** What the form shows while a press of its button would begin a payment. */
const restful = new Set(['ready', 'done', 'refused', 'gave_up']);

/**
 * The demo's bar on the pay page: it does to the page's real requests what happens to requests, and shows what each side
 * has on record meanwhile. It changes nothing about the form, which knows nothing of it.
 */
export function DemoBar({ order, silenceSeconds }: { order: DemoOrder; silenceSeconds: number }) {
  const { id: orderId } = order;
  const line = useLine(orderId);
  const form = useSeenForm();
  const key = keyOf(line, form.key);
  const [running, setRunning] = useState<string>();
  const [failed, setFailed] = useState(false);
  const [lively, setLively] = useState(false);
  const readings = useReadings(orderId, key, lively);

  useEffect(() => layLine(lineOf(orderId).fetch), [orderId]);
  useEffect(() => {
    const count = ({ target }: Event) => {
      if (isPayForm(target)) lineOf(orderId).countClick();
    };
    document.addEventListener('submit', count, { capture: true });
    return () => document.removeEventListener('submit', count, { capture: true });
  }, [orderId]);

  const resting = form.state !== undefined && restful.has(form.state);
  const waiting = line.requests.some(({ fate }) => fate.kind === 'waiting');
  const busy = !resting || waiting || line.cutUntil !== undefined || isUnsettled(readings);
  // Only a change of it starts or ends the looking; that a look brings news does not.
  useEffect(() => setLively(busy), [busy]);

  async function run(experiment: Experiment) {
    setFailed(false);
    setRunning(experiment.id);
    try {
      await experiment.run({ orderId, silenceSeconds });
    } catch {
      setFailed(true);
    }
  }

  const words = sceneWords({
    ...line,
    cut: line.cutUntil !== undefined,
    silent: readings?.silentUntil !== undefined,
    status: readings?.record?.status,
    charges: countCharged(readings),
    amount: formatMoney(order.total),
  });
  return (
    <DemoPanel
      title="Try to be charged twice"
      intro="Every mishap is real. The bank’s own ledger keeps the score."
    >
      <DemoReadings line={line} readings={readings} nextKey={form.key} />
      <div aria-live="polite" aria-atomic="true" className="grid min-h-28">
        <Notice tone={words.tone} title={words.title} className="items-center">
          {words.body}
        </Notice>
      </div>
      <ExperimentList
        experiments={experimentsFor(silenceSeconds)}
        running={busy ? running : undefined}
        possible={!busy}
        onRun={run}
      />
      {failed && <Mishap>That did not work, and nothing was sent.</Mishap>}
      <DemoLog story={line} />
      <NewOrder orderId={orderId} />
    </DemoPanel>
  );
}

export interface DemoOrder {
  readonly id: string;
  readonly total: Money;
}
