'use client';

import { Pause, Play, SkipBack, StepBack, StepForward } from 'lucide-react';
import type { ComponentType } from 'react';

/** Steps through a run, and plays it again. */
export function PlaybackBar(props: {
  position: number;
  length: number;
  playing: boolean;
  onMove: (position: number) => void;
  onPlay: () => void;
  onPause: () => void;
}) {
  const { position, length } = props;
  return (
    <div role="toolbar" aria-label="Replay" className="flex flex-wrap items-center gap-1">
      <Tool
        icon={SkipBack}
        name="To the beginning"
        disabled={position === 0}
        onClick={() => props.onMove(0)}
      />
      <Tool
        icon={StepBack}
        name="One step back"
        disabled={position === 0}
        onClick={() => props.onMove(position - 1)}
      />
      {props.playing ? (
        <Tool icon={Pause} name="Pause" onClick={props.onPause} />
      ) : (
        <Tool icon={Play} name="Replay" onClick={props.onPlay} />
      )}
      <Tool
        icon={StepForward}
        name="One step forward"
        disabled={position >= length}
        onClick={() => props.onMove(position + 1)}
      />
      <input
        type="range"
        aria-label="Step"
        min={0}
        max={length}
        value={position}
        onChange={(event) => props.onMove(Number(event.currentTarget.value))}
        className="h-11 min-w-16 flex-1 accent-accent"
      />
      <span className="min-w-16 whitespace-nowrap text-right text-ink-soft text-sm tabular-nums sm:min-w-24">
        {position} of {length}
      </span>
    </div>
  );
}

function Tool(props: {
  icon: ComponentType<{ className?: string }>;
  name: string;
  disabled?: boolean;
  onClick: () => void;
}) {
  const { icon: Icon } = props;
  return (
    <button
      type="button"
      aria-label={props.name}
      title={props.name}
      disabled={props.disabled}
      onClick={props.onClick}
      className="inline-flex size-11 items-center justify-center rounded-lg text-ink-soft enabled:hover:bg-sunken enabled:hover:text-ink disabled:opacity-40"
    >
      <Icon className="size-5" />
    </button>
  );
}
