'use client';

import { useEffect, useState } from 'react';
import { replacePageFetch } from '#app/trpc/page-fetch.ts';
import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { ExperimentList } from '#ui/demo/experiment-list.tsx';
import { InlineError, Notice } from '#ui/notice.tsx';
import { demoCopy } from './demo-copy.ts';
import { DemoLog, DemoReadings } from './demo-readings.tsx';
import { type Experiment, experimentsFor } from './experiments.ts';
import { keyOf } from './journal.ts';
import { NewOrder } from './new-order.tsx';
import { networkOf, useFaultyNetwork } from './order-network.ts';
import { isPayForm, useFormSnapshot } from './pay-button.ts';
import { countCharged, isUnresolved, useReadings } from './use-readings.ts';

/** The states of the form in which its button starts a payment. */
const idleStates = new Set(['ready', 'done', 'refused', 'gave_up']);

/**
 * The demo's bar on the pay page. It injects network faults into the page's real requests, and shows what the shop and the
 * provider have on record. The form's code does not depend on it.
 */
export function DemoBar({ order, silenceSeconds }: { order: DemoOrder; silenceSeconds: number }) {
  const { id: orderId } = order;
  const network = useFaultyNetwork(orderId);
  const form = useFormSnapshot();
  const key = keyOf(network, form.key);
  const [running, setRunning] = useState<string>();
  const [failed, setFailed] = useState(false);
  const [active, setActive] = useState(false);
  const readings = useReadings(orderId, key, active);

  useEffect(() => replacePageFetch(networkOf(orderId).fetch), [orderId]);
  useEffect(() => {
    const countClick = ({ target }: Event) => {
      if (isPayForm(target)) networkOf(orderId).countClick();
    };
    document.addEventListener('submit', countClick, { capture: true });
    return () => document.removeEventListener('submit', countClick, { capture: true });
  }, [orderId]);

  const idle = form.state !== undefined && idleStates.has(form.state);
  const waiting = network.requests.some(({ outcome }) => outcome.kind === 'waiting');
  const busy = !idle || waiting || network.cutUntil !== undefined || isUnresolved(readings);
  // `useReadings` starts and stops polling when `busy` changes; a new reading alone does neither.
  useEffect(() => setActive(busy), [busy]);

  async function run(experiment: Experiment) {
    setFailed(false);
    setRunning(experiment.id);
    try {
      await experiment.run({ orderId, silenceSeconds });
    } catch {
      setFailed(true);
    }
  }

  const copy = demoCopy({
    ...network,
    cut: network.cutUntil !== undefined,
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
      <DemoReadings network={network} readings={readings} nextKey={form.key} />
      <div aria-live="polite" aria-atomic="true" className="grid min-h-28">
        <Notice tone={copy.tone} title={copy.title} className="items-center">
          {copy.body}
        </Notice>
      </div>
      <ExperimentList
        experiments={experimentsFor(silenceSeconds)}
        running={busy ? running : undefined}
        possible={!busy}
        onRun={run}
      />
      {failed && <InlineError>That did not work, and nothing was sent.</InlineError>}
      <DemoLog requests={network.requests} />
      <NewOrder orderId={orderId} />
    </DemoPanel>
  );
}

export type DemoOrder = Pick<RouterOutputs['shop']['order'], 'id' | 'total'>;
