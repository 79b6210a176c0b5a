'use client';

import { MousePointerClick } from 'lucide-react';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';
import { ClickCount } from '#ui/lab/click-count.tsx';
import { Lane } from '#ui/lab/lane.tsx';
import { Verdict } from '#ui/lab/verdict.tsx';
import { InlineError } from '#ui/notice.tsx';
import { type Result, responseCopy, verdictOf } from './response-copy.ts';

export function DoubleClick() {
  const [clicks, setClicks] = useState(2);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [result, setResult] = useState<Result>();

  async function run() {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      setResult(await api.lab.doubleClick.mutate({ clicks }));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'The lab did not answer.');
    } finally {
      setBusy(false);
    }
  }

  const protectedLane = result?.find(({ lane }) => lane === 'protected');
  const unprotectedLane = result?.find(({ lane }) => lane === 'unprotected');
  return (
    <section aria-label="Experiment" className="mt-8">
      <div className="flex flex-wrap items-end gap-4">
        <ClickCount value={clicks} onChange={setClicks} />
        <Button size="large" busy={busy} onClick={run}>
          {!busy && <MousePointerClick className="size-5" aria-hidden="true" />}
          {busy ? 'Clicking…' : `Click Pay ${clicks} times`}
        </Button>
      </div>
      {failure && (
        <div className="mt-4">
          <InlineError>The experiment did not finish: {failure}</InlineError>
        </div>
      )}
      <Verdict
        {...(protectedLane && unprotectedLane ? verdictOf(protectedLane, unprotectedLane) : waiting)}
      />
      <div className="mt-6 grid gap-6 md:grid-cols-2">
        <Lane
          name="With Paidonce"
          explanation="Every click carries the same key."
          kind="protected"
          responses={protectedLane?.responses.map(responseCopy)}
          charges={protectedLane?.charges}
        />
        <Lane
          name="Without"
          explanation="Every click is a payment of its own."
          kind="unprotected"
          responses={unprotectedLane?.responses.map(responseCopy)}
          charges={unprotectedLane?.charges}
        />
      </div>
    </section>
  );
}

const waiting = {
  tone: 'plain',
  title: 'Nothing has been clicked yet.',
  body: 'The experiment charges a test card in the sandbox. No money moves.',
} as const;
