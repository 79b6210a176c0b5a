'use client';

import { Copy, MousePointerClick, Scissors, VolumeX, WifiOff } from 'lucide-react';
import { useId } from 'react';
import { Spinner } from '../spinner.tsx';
import { useHydrated } from '../use-hydrated.ts';

const icons = {
  click: MousePointerClick,
  twice: Copy,
  cut: Scissors,
  offline: WifiOff,
  silence: VolumeX,
} as const;
export type ExperimentIcon = keyof typeof icons;

export interface ListedExperiment {
  readonly id: string;
  readonly icon: ExperimentIcon;
  readonly name: string;
  readonly does: string;
  readonly watch: string;
}

/** One experiment runs at a time. Meanwhile the others stay readable, but their buttons do nothing. */
export function ExperimentList<E extends ListedExperiment>(props: {
  experiments: readonly E[];
  running: string | undefined;
  possible: boolean;
  onRun: (experiment: E) => void;
}) {
  return (
    <ul className="grid gap-1.5">
      {props.experiments.map((experiment) => (
        <li key={experiment.id}>
          <ExperimentCard
            experiment={experiment}
            running={props.running === experiment.id}
            possible={props.possible}
            onRun={() => props.onRun(experiment)}
          />
        </li>
      ))}
    </ul>
  );
}

/** The button contains only the name; the description is beside it, and the whole card is clickable. */
function ExperimentCard(props: {
  experiment: ListedExperiment;
  running: boolean;
  possible: boolean;
  onRun: () => void;
}) {
  const { icon, name, does, watch } = props.experiment;
  const descriptionId = useId();
  const hydrated = useHydrated();
  const Icon = icons[icon];
  const style = props.running
    ? 'border-accent bg-accent-soft'
    : `border-line bg-canvas ${props.possible ? 'hover:border-line-strong hover:bg-sunken' : ''}`;
  return (
    <div
      className={`relative flex items-start gap-3 rounded-xl border px-3.5 py-2 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2 ${style}`}
    >
      <span className="mt-0.5 grid size-5 shrink-0 place-items-center text-accent-ink">
        {props.running ? <Spinner /> : <Icon className="size-4.5" aria-hidden="true" />}
      </span>
      <div className="min-w-0 flex-1">
        <button
          type="button"
          disabled={!hydrated}
          aria-disabled={!props.possible || undefined}
          aria-describedby={descriptionId}
          onClick={() => props.possible && props.onRun()}
          className="block text-left font-medium text-sm outline-none after:absolute after:inset-0 after:rounded-xl disabled:cursor-progress aria-disabled:cursor-default"
        >
          {name}
        </button>
        <p id={descriptionId} className="text-[0.8125rem] text-ink-soft leading-5">
          <span className="block">{does}</span>
          <span className="block">
            <span className="text-ink-faint">Watch:</span> {watch}
          </span>
        </p>
      </div>
    </div>
  );
}
