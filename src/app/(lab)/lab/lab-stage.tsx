'use client';

import { Dices, Play } from 'lucide-react';
import { useState } from 'react';
import { errorMessage } from '#app/trpc/error-message.ts';
import { Button } from '#ui/button.tsx';
import { controlStyle } from '#ui/field.tsx';
import { CutSlider } from '#ui/lab/cut-slider.tsx';
import type { CutPoint, LabScenario } from '#ui/lab/lab-copy.ts';
import { LanePanel } from '#ui/lab/lane-panel.tsx';
import { PlaybackBar } from '#ui/lab/playback-bar.tsx';
import { InlineError } from '#ui/notice.tsx';
import { RunExports } from './run-exports.tsx';
import { RunVerdict } from './run-verdict.tsx';
import { usePlayback } from './use-playback.ts';
import { useRun } from './use-run.ts';

const maxSeed = 999_999;

/** Runs one scenario in both lanes, and shows what happened. */
export function LabStage(props: { scenario: LabScenario; seed: number; cut: CutPoint | undefined }) {
  const { scenario } = props;
  // As it is typed: a field that corrects itself at every key cannot be emptied.
  const [seedText, setSeedText] = useState(String(props.seed));
  const seed = clamp(Number.parseInt(seedText, 10));
  const [cut, setCut] = useState(props.cut ?? scenario.fault?.at);
  const { start, run, busy, error } = useRun();
  const playback = usePlayback(run);

  function runIt() {
    if (busy) return;
    setSeedText(String(seed));
    const chosen = { seed, ...(cut !== undefined && { cut }) };
    playback.follow();
    window.history.replaceState(null, '', `/lab/${scenario.name}?${query(chosen)}`);
    start({ scenario: scenario.name, ...chosen });
  }

  return (
    <>
      <div className="mt-6 flex flex-wrap items-end gap-x-2 gap-y-4 sm:gap-x-6">
        <div className="flex items-end gap-2">
          <label className="block">
            <span className="mb-2 block font-medium text-sm">Seed</span>
            <input
              type="number"
              inputMode="numeric"
              min={1}
              max={maxSeed}
              value={seedText}
              disabled={busy}
              onChange={(event) => setSeedText(event.currentTarget.value)}
              onBlur={() => setSeedText(String(seed))}
              className={`${controlStyle} min-h-13 w-28 tabular-nums sm:w-32`}
            />
          </label>
          <Button
            tone="secondary"
            size="large"
            aria-label="Another seed"
            title="Another seed"
            disabled={busy}
            onClick={() => setSeedText(String(1 + Math.floor(Math.random() * maxSeed)))}
          >
            <Dices className="size-5" aria-hidden="true" />
          </Button>
        </div>
        <Button size="large" busy={busy} onClick={runIt} className="min-w-32 flex-1 sm:flex-none">
          {!busy && <Play className="size-5" aria-hidden="true" />}
          {busy ? 'Running…' : 'Run'}
        </Button>
        {scenario.fault && cut !== undefined && (
          <CutSlider
            fault={scenario.fault}
            points={scenario.cutPoints}
            value={cut}
            disabled={busy}
            onChange={setCut}
          />
        )}
      </div>
      {error && (
        <div className="mt-4">
          <InlineError>{errorMessage(error)}</InlineError>
        </div>
      )}
      <div data-stage>
        <RunVerdict run={run} busy={busy} lesson={scenario.lesson} />
        {run && run.status !== 'running' && (
          <div className="mt-4">
            <PlaybackBar
              position={playback.position}
              length={playback.length}
              playing={playback.playing}
              onMove={playback.move}
              onPlay={playback.play}
              onPause={playback.pause}
            />
          </div>
        )}
        <div className="mt-4 grid gap-6 xl:grid-cols-2">
          <LanePanel
            name="With Paidonce"
            explanation="Every retry carries the key of its first try."
            lane="protected"
            view={run?.lanes.protected}
            shown={playback.shownOf('protected')}
          />
          <LanePanel
            name="Without Paidonce"
            explanation="Every request is a payment of its own."
            lane="naive"
            view={run?.lanes.naive}
            shown={playback.shownOf('naive')}
          />
        </div>
      </div>
      <RunExports scenario={scenario.name} seed={seed} cut={cut} keys={run?.lanes.protected.keys ?? []} />
    </>
  );
}

function clamp(value: number): number {
  return Number.isNaN(value) ? 1 : Math.min(maxSeed, Math.max(1, value));
}

function query(chosen: { seed: number; cut?: CutPoint }): string {
  return new URLSearchParams(
    Object.entries(chosen).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}
