import { TRPCError } from '@trpc/server';
import { headers } from 'next/headers';
import { redirect } from 'next/navigation';
import { pathHeader } from '#app/path-header.ts';
import { anotherShop, noShop, secondFactorNeeded } from '#server/trpc/init.ts';
import { hasSessionCookie } from './session-cookie.ts';

/** Every read checks the session by itself; without one the page redirects to the sign-in, and from there back here. */
export async function signedIn<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof TRPCError)) throw error;
    if (error.code === 'UNAUTHORIZED') redirect(await signInAddress());
    if (error.message === anotherShop) redirect(await anotherShopAddress());
    if (error.code === 'FORBIDDEN') redirect(await addressInstead(error.message));
    throw error;
  }
}

async function addressInstead(reason: string): Promise<string> {
  if (reason === noShop) return '/admin/no-shop';
  if (reason !== secondFactorNeeded) return '/admin/not-allowed';
  return `/admin/second-factor?${new URLSearchParams({ next: await addressOfPage() })}`;
}

async function anotherShopAddress(): Promise<string> {
  return `/admin/another-shop?${new URLSearchParams({ next: await addressOfPage() })}`;
}

async function addressOfPage(): Promise<string> {
  return (await headers()).get(pathHeader) ?? '/admin';
}

async function signInAddress(): Promise<string> {
  const next = await addressOfPage();
  // A browser that still has the cookie was signed in; the sign-in page says that the session has ended.
  const isOver = hasSessionCookie((await headers()).get('cookie'));
  const ended: Record<string, string> = isOver ? { ended: '' } : {};
  return `/admin/sign-in?${new URLSearchParams({ next, ...ended })}`;
}
