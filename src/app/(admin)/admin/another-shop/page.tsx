import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { serverApi } from '#app/trpc/server.ts';
import { shopOfAddress } from '#ui/admin/shop-address.ts';
import { PageShell } from '#ui/page-shell.tsx';
import { nextPath } from '../sign-in/next-path.ts';
import { signedIn } from '../signed-in.ts';
import { ChooseShop } from './choose-shop.tsx';

export const metadata: Metadata = { title: 'Another shop' };
export const dynamic = 'force-dynamic';

/** For an address of one shop, while the session has another one open. */
export default async function AnotherShopPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string }>;
}) {
  const next = nextPath((await searchParams).next);
  const api = await serverApi();
  const [open, me] = await signedIn(Promise.all([api.people.me(), api.account.me()]));
  const wanted = shopOfAddress(next);
  if (wanted === undefined || wanted === open.tenantId) redirect(next);
  const meant = me.shops.find(({ tenantId }) => tenantId === wanted);
  return (
    <PageShell width="max-w-xl">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Another shop is open</h1>
      <p className="mt-2 text-ink-soft leading-7">
        {open.tenantName} is open now, in every tab of this browser. The page that you asked for is about{' '}
        {meant ? meant.tenantName : 'a shop that you are not a member of'}. Nothing was changed.
      </p>
      <ApiProvider>
        <ChooseShop open={open.tenantName} meant={meant} next={next} />
      </ApiProvider>
    </PageShell>
  );
}
