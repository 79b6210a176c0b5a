import { Button } from '#ui/button.tsx';

/** Says what has happened since the page came. It has its place from the start, so saying something moves nothing. */
export function ListNews(props: {
  newCount: number;
  changedCount: number;
  shown: number;
  busy: boolean;
  onShow: () => void;
}) {
  const news = [
    props.newCount > 0 && `${props.newCount} new`,
    props.changedCount > 0 && `${props.changedCount} changed`,
  ].filter(Boolean);
  return (
    <div className="absolute top-3 right-0 flex h-11 items-center gap-3 text-sm pointer-fine:h-9">
      <p role="status" className={news.length > 0 ? 'font-medium text-accent-ink' : 'text-ink-faint'}>
        {news.length > 0 ? news.join(', ') : `${props.shown} shown`}
      </p>
      {news.length > 0 && (
        <Button tone="soft" size="small" busy={props.busy} onClick={props.onShow}>
          Show
        </Button>
      )}
    </div>
  );
}
