import { Button } from '#ui/button.tsx';
import type { Tone } from '#ui/notice.tsx';
import type { Progress } from './use-reconciling.ts';

const tones: Record<Tone, string> = {
  plain: 'text-ink-soft',
  busy: 'text-accent-ink',
  ok: 'text-ok',
  warn: 'text-warn',
  unknown: 'text-unknown',
  danger: 'text-danger',
};

/**
 * The action of a row, or its result: one line if it was one of many, whose results are in one banner. A button that is no
 * longer needed is invisible and keeps its space, so that no row below moves when another operator resolves this one.
 */
export function RowAction(props: {
  /** When the page was rendered, and now. */
  wasUnknown: boolean;
  unknown: boolean;
  progress: Progress | undefined;
  onReconcile: () => void;
}) {
  const { progress } = props;
  const busy = progress?.kind === 'running' || progress?.kind === 'waiting';
  if (!props.wasUnknown && !progress) return null;
  return (
    <div className="grid gap-2">
      {props.wasUnknown && (
        <Button
          tone="secondary"
          size="small"
          busy={busy}
          onClick={() => !busy && props.onReconcile()}
          className={`justify-self-start whitespace-nowrap lg:-my-2 ${props.unknown ? '' : 'invisible'}`}
        >
          {progress?.kind === 'waiting' ? 'Waiting…' : 'Reconcile now'}
        </Button>
      )}
      <div role="status" className="empty:hidden">
        {progress && 'notice' in progress && (
          <p className={`text-sm ${tones[progress.notice.tone]}`}>
            {progress.notice.title}
            {!progress.bulk && <span className="block text-ink-soft">{progress.notice.body}</span>}
          </p>
        )}
      </div>
    </div>
  );
}
