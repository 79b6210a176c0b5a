import { Button } from '#ui/button.tsx';

/** Counts what has changed since the page was rendered. Its space is reserved, so that nothing moves. */
export function ListUpdates(props: {
  newCount: number;
  changedCount: number;
  shown: number;
  busy: boolean;
  onShow: () => void;
}) {
  const updates = [
    props.newCount > 0 && `${props.newCount} new`,
    props.changedCount > 0 && `${props.changedCount} changed`,
  ].filter(Boolean);
  return (
    <div className="absolute top-3 right-0 flex h-11 items-center gap-3 text-sm pointer-fine:h-9">
      <p role="status" className={updates.length > 0 ? 'font-medium text-accent-ink' : 'text-ink-faint'}>
        {updates.length > 0 ? updates.join(', ') : `${props.shown} shown`}
      </p>
      {updates.length > 0 && (
        <Button tone="soft" size="small" busy={props.busy} onClick={props.onShow}>
          Show
        </Button>
      )}
    </div>
  );
}
