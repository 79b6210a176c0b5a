import { Skeleton } from '#ui/skeleton.tsx';

const rows = Array.from({ length: 10 }, (_, index) => `row ${index}`);

/** In the shape of the list, so that nothing jumps when it comes. */
export default function LoadingOperations() {
  return (
    <div role="status" aria-label="Loading operations">
      <Skeleton className="h-9 w-48" />
      <Skeleton className="mt-2 h-5 w-full max-w-lg" />
      <Skeleton className="mt-5 h-11 w-full" />
      <Skeleton className="mt-3 h-10 w-full max-w-2xl" />
      <div className="mt-16 rounded-2xl border border-line bg-surface px-5">
        {rows.map((row) => (
          <div key={row} className="flex gap-6 border-line border-b py-3.5 last:border-b-0">
            <Skeleton className="h-5 w-40" />
            <Skeleton className="h-5 w-20" />
            <Skeleton className="h-5 w-24" />
            <Skeleton className="hidden h-5 flex-1 sm:block" />
          </div>
        ))}
      </div>
    </div>
  );
}
