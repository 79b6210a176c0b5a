import { LoadingRows } from '#ui/admin/loading-rows.tsx';

const cells = ['w-40', 'w-16', 'hidden flex-1 sm:block'];

export default function Loading() {
  return <LoadingRows label="Loading" rows={5} above="mt-7 h-10 w-full max-w-2xl" cells={cells} />;
}
