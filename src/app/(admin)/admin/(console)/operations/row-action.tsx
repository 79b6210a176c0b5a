import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import type { Progress } from './use-reconciling.ts';

/**
 * The action of a row, or its result. A button that is of no use any more is invisible and keeps its space, so that no row
 * below moves when another operator resolves this one.
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
          {progress?.kind === 'waiting' ? 'Waiting its turn' : 'Reconcile now'}
        </Button>
      )}
      <div role="status" className="empty:hidden">
        {progress && 'finding' in progress && (
          <Notice tone={progress.finding.tone} title={progress.finding.title} className="max-w-md">
            {progress.finding.body}
          </Notice>
        )}
      </div>
    </div>
  );
}
