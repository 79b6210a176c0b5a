import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { roleCopy } from '#ui/admin/role-copy.ts';
import { PasswordForm } from './password-form.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export const metadata: Metadata = { title: 'Your account' };

export default async function AccountPage() {
  const api = await serverApi();
  const [me, sessions] = await signedIn(Promise.all([api.account.me(), api.account.sessions()]));
  return (
    <>
      <PageHeading title="Your account">
        {me.name}, {me.email}.{' '}
        {me.shops.map(({ tenantName, role }) => `${roleCopy[role].label} of ${tenantName}`).join(', ')}.
      </PageHeading>
      <div className="max-w-3xl">
        <Card
          id="second-factor"
          title="Second factor"
          intro="A code from an app on your phone, in addition to your password. A stolen password alone then does not let anyone in. Turning it on signs you out everywhere else."
        >
          <SecondFactor isOn={me.secondFactor} />
        </Card>
        <Card id="password-panel" title="Password">
          <PasswordForm secondFactor={me.secondFactor} />
        </Card>
        <Card id="sessions" title="Where you are signed in">
          <Sessions sessions={sessions} />
        </Card>
      </div>
    </>
  );
}
