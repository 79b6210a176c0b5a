import { TRPCClientError } from '@trpc/client';
import { noteShopLeft } from './shop-left.ts';

/**
 * What every failed query and mutation of the page has in common. What to say to the person stays with the component,
 * which has the error's text from `errorMessage`.
 */
export function onApiError(error: unknown): void {
  if (typeof window === 'undefined') return;
  if (isSignedOut(error)) window.location.assign(signInAgain(window.location));
}

/** A read of a page that shows another shop than the one that is open now: the page is of no use any more. */
export function onQueryError(error: unknown): void {
  onApiError(error);
  if (typeof window === 'undefined') return;
  if (!isOfAnotherShop(error)) return;
  noteShopLeft(() => window.sessionStorage);
  window.location.reload();
}

function isOfAnotherShop(error: unknown): boolean {
  // A problem of a key has the same code.
  return (
    error instanceof TRPCClientError && error.data?.code === 'PRECONDITION_FAILED' && !error.data.problem
  );
}

/** The procedures of the shop need no session, so only pages of the console get this error. */
function isSignedOut(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data?.code === 'UNAUTHORIZED';
}

/** The sign-in says that the session has ended, and leads back to where it ended. */
export function signInAgain({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  return `/admin/sign-in?${new URLSearchParams({ next: pathname + search, ended: '' })}`;
}
