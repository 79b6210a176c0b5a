import { Skeleton } from '#ui/skeleton.tsx';

/** As tall as Stripe's fields, so that the layout does not shift when they are loaded. */
export function CardSkeleton() {
  return (
    <div role="status" aria-label="Loading the card form" className="grid gap-4">
      <Skeleton className="h-12 w-full" />
      <div className="grid grid-cols-2 gap-4">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
      <Skeleton className="h-12 w-full" />
    </div>
  );
}
