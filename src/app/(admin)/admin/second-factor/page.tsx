import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { serverApi } from '#app/trpc/server.ts';
import { Card } from '#ui/admin/card.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { SecondFactor } from '../(console)/account/second-factor.tsx';
import { SignOutButton } from '../(console)/sign-out-button.tsx';
import { nextPath } from '../sign-in/next-path.ts';
import { signedIn } from '../signed-in.ts';

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
  return (
    <PageShell width="max-w-xl">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Set up a second factor</h1>
      <p className="mt-2 text-ink-soft leading-7">
        The shop that you are a member of asks for a code from an app on your phone, in addition to your
        password. After that you have access as before.
      </p>
      <Card id="second-factor" title="Second factor">
        <SecondFactor isOn={false} next={next} />
      </Card>
      <SignOutButton className="mt-6 -ml-3.5" />
    </PageShell>
  );
}
