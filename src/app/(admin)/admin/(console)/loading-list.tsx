import { LoadingRows } from '#ui/admin/loading-rows.tsx';

const cells = ['w-40', 'w-16', 'hidden flex-1 sm:block'];

/**
 * Each list has it as its `loading.tsx`. There is none for the whole console: below it the response begins before the page has
 * read anything, and a page about something that does not exist could no longer have the status 404.
 */
export function LoadingList() {
  return <LoadingRows label="Loading" rows={5} above="mt-7 h-10 w-full max-w-2xl" cells={cells} />;
}
