import { useEffect, useState } from 'react';
import type { LabRun } from '#ui/lab/lab-copy.ts';

/** Fast enough to watch, slow enough to read. */
const stepMs = 350;

/**
 * Which of a run's events are shown. Both lanes share one clock, so a step shows the next event of either. While the run
 * goes on, and after it, everything is shown, until the reader steps or replays.
 */
export function usePlayback(run: LabRun | undefined) {
  const times = run ? timesOf(run) : [];
  const [chosen, setChosen] = useState<number | undefined>();
  const [playing, setPlaying] = useState(false);
  const position = Math.min(chosen ?? times.length, times.length);

  useEffect(() => {
    if (!playing) return;
    if (position >= times.length) return setPlaying(false);
    const timer = setTimeout(() => setChosen(position + 1), stepMs);
    return () => clearTimeout(timer);
  }, [playing, position, times.length]);

  const untilMs =
    position === 0 ? Number.NEGATIVE_INFINITY : (times[position - 1] ?? Number.POSITIVE_INFINITY);
  return {
    position,
    length: times.length,
    playing,
    /** How many events of a lane are shown. */
    shownOf: (lane: 'protected' | 'naive') =>
      run?.lanes[lane].trace.filter(({ atMs }) => atMs <= untilMs).length ?? 0,
    move(to: number) {
      setPlaying(false);
      setChosen(Math.max(0, to));
    },
    play() {
      setChosen(position >= times.length ? 0 : position);
      setPlaying(true);
    },
    pause: () => setPlaying(false),
    /** A new run is followed live. */
    follow() {
      setPlaying(false);
      setChosen(undefined);
    },
  };
}

function timesOf({ lanes }: LabRun): number[] {
  const all = [...lanes.protected.trace, ...lanes.naive.trace].map(({ atMs }) => atMs);
  return [...new Set(all)].sort((one, other) => one - other);
}
