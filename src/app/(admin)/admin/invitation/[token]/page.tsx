import { TRPCError } from '@trpc/server';
import type { Metadata } from 'next';
import Link from 'next/link';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { serverApi } from '#app/trpc/server.ts';
import { roleCopy } from '#ui/admin/role-copy.ts';
import { buttonStyle } from '#ui/button-style.ts';
import { formatMoment } from '#ui/moment.tsx';
import { Notice } from '#ui/notice.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { AcceptForm } from './accept-form.tsx';
import { JoinButton } from './join-button.tsx';

export const metadata: Metadata = { title: 'Invitation', robots: { index: false }, referrer: 'no-referrer' };
export const dynamic = 'force-dynamic';

export default async function InvitationPage({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  const api = await serverApi();
  const [invitation, me] = await Promise.all([
    orUndefined(api.account.invitation({ token })),
    orUndefined(api.account.me()),
  ]);
  if (!invitation) return <InvalidInvitation />;
  const { email, role, shopName, hasAccount } = invitation;
  const { label } = roleCopy[role];
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Join {shopName}</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        You are invited as {/^[aeiou]/i.test(label) ? 'an' : 'a'} {label.toLowerCase()}. The invitation is for{' '}
        <span className="break-words font-medium text-ink">{email}</span> and valid until{' '}
        {formatMoment(invitation.expiresAt)}.
      </p>
      {me && me.email.toLowerCase() !== email ? (
        <Notice tone="warn" title={`You are signed in as ${me.email}.`}>
          This invitation was sent to another address. Sign out in the{' '}
          <Link href="/admin" className="underline underline-offset-4">
            console
          </Link>
          , then open this link again.
        </Notice>
      ) : me ? (
        <ApiProvider>
          <JoinButton token={token} shopName={shopName} />
        </ApiProvider>
      ) : hasAccount ? (
        <>
          <p className="mb-5 text-ink-soft leading-7">
            You have an account with this address: sign in, then join.
          </p>
          <Link
            href={`/admin/sign-in?next=/admin/invitation/${token}`}
            className={`w-full ${buttonStyle('primary', 'large')}`}
          >
            Sign in
          </Link>
        </>
      ) : (
        <ApiProvider>
          <AcceptForm token={token} email={email} />
        </ApiProvider>
      )}
    </PageShell>
  );
}

function InvalidInvitation() {
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">This invitation is no longer valid</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        It was used, revoked, or has expired. If you have already joined, sign in; otherwise ask for a new
        invitation.
      </p>
      <Link href="/admin" className={buttonStyle('secondary')}>
        To the console
      </Link>
    </PageShell>
  );
}

/** No invitation and no session are expected here. */
async function orUndefined<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof TRPCError && ['NOT_FOUND', 'BAD_REQUEST', 'UNAUTHORIZED'].includes(error.code)) {
      return undefined;
    }
    throw error;
  }
}
