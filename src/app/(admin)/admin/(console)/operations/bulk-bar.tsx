import { Button } from '#ui/button.tsx';
import type { Row } from './use-live-rows.ts';
import type { Progress } from './use-reconciling.ts';

/** The selected rows, what can be done with all of them, and its progress and result. */
export function BulkBar(props: {
  selected: readonly Row[];
  unknown: readonly Row[];
  progress: ReadonlyMap<string, Progress>;
  onReconcile: (rows: readonly Row[]) => void;
  onSelectUnknown: () => void;
  onClear: () => void;
}) {
  const { selected, unknown } = props;
  if (selected.length === 0) {
    if (unknown.length < 2) return null;
    return (
      <p className="mt-4">
        <Button tone="quiet" size="small" onClick={props.onSelectUnknown}>
          Select the {unknown.length} unknown on this page
        </Button>
      </p>
    );
  }
  const started = selected.flatMap(({ id }) => props.progress.get(id) ?? []);
  const running = started.some(({ kind }) => kind === 'waiting' || kind === 'running');
  const finished = started.filter(({ kind }) => kind !== 'waiting' && kind !== 'running');
  return (
    <section
      aria-label="Selected operations"
      className="sticky bottom-4 z-20 mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-2xl border border-line-strong bg-surface px-5 py-3 text-sm shadow-lift"
    >
      <p className="font-medium">{selected.length} selected</p>
      <p role="status" className="text-ink-soft">
        {running
          ? `${finished.length} of ${started.length} checked`
          : finished.length > 0
            ? summarize(finished)
            : ''}
      </p>
      {running && (
        <progress
          value={finished.length}
          max={started.length}
          aria-label="Reconciling"
          className="h-1.5 w-32 accent-accent"
        />
      )}
      <div className="ml-auto flex gap-2">
        <Button tone="quiet" size="small" onClick={props.onClear}>
          Clear
        </Button>
        <Button size="small" busy={running} onClick={() => !running && props.onReconcile(selected)}>
          Reconcile {selected.length === 1 ? 'it' : `all ${selected.length}`}
        </Button>
      </div>
    </section>
  );
}

function summarize(finished: readonly Progress[]): string {
  const count = (kind: Progress['kind']) => finished.filter((one) => one.kind === kind).length;
  const unresolved = finished.filter(
    (one) => 'notice' in one && one.kind === 'done' && one.notice.tone === 'unknown',
  ).length;
  const parts = [
    [count('done') - unresolved, 'resolved'],
    [unresolved, 'still unknown'],
    [count('skipped'), 'skipped'],
    [count('failed'), 'failed'],
  ] as const;
  return parts
    .filter(([number]) => number > 0)
    .map(([number, label]) => `${number} ${label}`)
    .join(', ');
}
