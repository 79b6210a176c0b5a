'use client';

import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { onRealNetwork } from '#app/trpc/client.ts';
import { replacePageFetch } from '#app/trpc/page-fetch.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { useFormatMoney } from '#ui/amount.tsx';
import { DemoPanel } from '#ui/demo/demo-panel.tsx';
import { ExperimentList } from '#ui/demo/experiment-list.tsx';
import { InlineError, Notice } from '#ui/notice.tsx';
import { demoCopy } from './demo-copy.ts';
import { DemoLog, DemoReadings, FigureBelowForm } from './demo-readings.tsx';
import { type Experiment, experimentsFor } from './experiments.ts';
import { keyOf } from './journal.ts';
import { NewOrder } from './new-order.tsx';
import { networkOf, useFaultyNetwork } from './order-network.ts';
import { isPayForm, showForm, useFormSnapshot } from './pay-button.ts';
import { chargesOf, countRefunded, isUnresolved, useReadings } from './use-readings.ts';

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
  const format = useFormatMoney();
  const key = keyOf(network, form.key);
  const silence = useMutation(useTRPC().demo.silence.mutationOptions({ trpc: onRealNetwork }));
  const silenceProvider = () => silence.mutateAsync({ orderId, seconds: silenceSeconds });
  const experiment = useMutation({
    mutationFn: (chosen: Experiment) => {
      showForm();
      return chosen.run({ orderId, silenceProvider });
    },
  });
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

  const copy = demoCopy({
    ...network,
    cut: network.cutUntil !== undefined,
    silent: readings?.silentUntil !== undefined,
    awaitsShopper: readings?.awaitsShopper ?? false,
    status: readings?.record?.status,
    charges: chargesOf(readings).length,
    refunded: countRefunded(readings),
    amount: format(order.total),
  });
  return (
    <DemoPanel
      title="Try to be charged twice"
      intro="Every mishap is real. The bank’s own ledger keeps the score."
    >
      <DemoReadings network={network} readings={readings} nextKey={form.key} />
      {busy && experiment.variables && <FigureBelowForm network={network} readings={readings} />}
      {/* As high as its longest text needs while a payment runs, so that the list below stays where it is. */}
      <div aria-live="polite" aria-atomic="true" className="grid min-h-30">
        <Notice tone={copy.tone} title={copy.title} className="items-center">
          {copy.body}
        </Notice>
      </div>
      <ExperimentList
        experiments={experimentsFor(silenceSeconds)}
        running={busy ? experiment.variables?.id : undefined}
        possible={!busy}
        onRun={experiment.mutate}
      />
      {experiment.isError && <InlineError>That did not work, and nothing was sent.</InlineError>}
      {/* Before the tries, which become more. */}
      <NewOrder orderId={orderId} />
      <DemoLog requests={network.requests} />
    </DemoPanel>
  );
}

export type DemoOrder = Pick<RouterOutputs['shop']['order'], 'id' | 'total'>;
