import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { serverApi } from '#app/trpc/server.ts';
import { Card } from '#ui/admin/card.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { SecondFactor } from '../(console)/account/second-factor.tsx';
import { SignOutButton } from '../(console)/sign-out-button.tsx';
import { nextPath } from '../sign-in/next-path.ts';
import { signedIn } from '../signed-in.ts';
import { OtherShops } from './other-shops.tsx';

export const metadata: Metadata = { title: 'Second factor' };
export const dynamic = 'force-dynamic';

/** For members of a shop that asks for a second factor, until they have one. */
export default async function SecondFactorPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string }>;
}) {
  const next = nextPath((await searchParams).next);
  const api = await serverApi();
  const me = await signedIn(api.account.me());
  if (me.secondFactor) redirect(next);
  const asking = me.shops.filter(({ needsSecondFactor }) => needsSecondFactor);
  const others = me.shops.filter(({ needsSecondFactor }) => !needsSecondFactor);
  return (
    <PageShell width="max-w-xl">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Set up a second factor</h1>
      <p className="mt-2 text-ink-soft leading-7">
        {asking.length === 1 ? asking[0]?.tenantName : 'The shop that you opened'} asks its members for a code
        from an app on their phone, in addition to the password. After that you have access as before.
      </p>
      <Card id="second-factor" title="Second factor">
        <SecondFactor isOn={false} next={next} />
      </Card>
      {others.length > 0 && (
        <ApiProvider>
          <OtherShops shops={others} />
        </ApiProvider>
      )}
      <SignOutButton className="mt-6 -ml-3.5" />
    </PageShell>
  );
}
