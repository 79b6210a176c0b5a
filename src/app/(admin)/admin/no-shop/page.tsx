import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { serverApi } from '#app/trpc/server.ts';
import { Notice } from '#ui/notice.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { SignOutButton } from '../(console)/sign-out-button.tsx';
import { signedIn } from '../signed-in.ts';

export const metadata: Metadata = { title: 'No shop' };
export const dynamic = 'force-dynamic';

export default async function NoShopPage() {
  const api = await serverApi();
  const me = await signedIn(api.account.me());
  if (me.shops.length > 0) redirect('/admin');
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">You are not a member of a shop</h1>
      <p className="mt-2 mb-8 break-words text-ink-soft leading-7">
        You are signed in as {me.email}. Your account is fine, but it is not a member of any shop at the
        moment.
      </p>
      <Notice tone="plain" title="What to do next">
        Ask an owner of the shop to invite this address, and follow the link in the invitation. You then have
        access immediately.
      </Notice>
      <SignOutButton className="mt-6 -ml-3.5" />
    </PageShell>
  );
}
