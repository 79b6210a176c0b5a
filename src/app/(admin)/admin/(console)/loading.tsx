import { Skeleton } from '#ui/skeleton.tsx';

const rows = ['a', 'b', 'c', 'd', 'e'];

export default function Loading() {
  return (
    <div role="status" aria-label="Loading">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="mt-3 h-5 w-full max-w-lg" />
      <Skeleton className="mt-7 h-10 w-full max-w-2xl" />
      <div className="mt-6 rounded-2xl border border-line bg-surface px-5">
        {rows.map((row) => (
          <div key={row} className="flex gap-6 border-line border-b py-5 last:border-b-0">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-5 w-16" />
            <Skeleton className="hidden h-5 flex-1 sm:block" />
          </div>
        ))}
      </div>
    </div>
  );
}
