import { LoadingRows } from '#ui/admin/loading-rows.tsx';

const cells = ['w-40', 'w-20', 'w-24', 'hidden flex-1 sm:block'];

export default function LoadingOperations() {
  return <LoadingRows label="Loading operations" rows={10} above="mt-5 h-11 w-full" cells={cells} />;
}
