import { Skeleton } from '../skeleton.tsx';

/** The skeleton of a heading and a table, as tall as they will be, so that nothing moves when they are loaded. */
export function LoadingRows(props: { label: string; rows: number; above: string; cells: readonly string[] }) {
  return (
    <div role="status" aria-label={props.label}>
      <Skeleton className="h-9 w-48" />
      <Skeleton className="mt-2 h-5 w-full max-w-lg" />
      <Skeleton className={props.above} />
      <div className="mt-6 rounded-2xl border border-line bg-surface px-5">
        {Array.from({ length: props.rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
          <div key={row} className="flex gap-6 border-line border-b py-4 last:border-b-0">
            {props.cells.map((width) => (
              <Skeleton key={width} className={`h-5 ${width}`} />
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
