import { TRPCError } from '@trpc/server';
import type { Metadata } from 'next';
import Link from 'next/link';
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
    orNothing(api.account.invitation({ token })),
    orNothing(api.account.me()),
  ]);
  if (!invitation) return <Over />;
  const { email, role, shopName, hasAccount } = invitation;
  const { label } = roleCopy[role];
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Join {shopName}</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        You are invited as {/^[aeiou]/i.test(label) ? 'an' : 'a'} {label.toLowerCase()}. The invitation is for{' '}
        <span className="break-words font-medium text-ink">{email}</span> and good until{' '}
        {formatMoment(invitation.expiresAt)}.
      </p>
      {me && me.email.toLowerCase() !== email ? (
        <Notice tone="warn" title={`You are signed in as ${me.email}.`}>
          This invitation was written to another address. Sign out in the{' '}
          <Link href="/admin" className="underline underline-offset-4">
            console
          </Link>
          , then open this link again.
        </Notice>
      ) : me ? (
        <JoinButton token={token} shopName={shopName} />
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
        <AcceptForm token={token} email={email} />
      )}
    </PageShell>
  );
}

function Over() {
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">This invitation is over</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        It was used, taken back, or has expired. If you have joined, sign in; otherwise ask whoever invited
        you to send it again.
      </p>
      <Link href="/admin" className={buttonStyle('secondary')}>
        To the console
      </Link>
    </PageShell>
  );
}

/** No invitation and no session are expected here. */
async function orNothing<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof TRPCError && ['NOT_FOUND', 'BAD_REQUEST', 'UNAUTHORIZED'].includes(error.code)) {
      return undefined;
    }
    throw error;
  }
}
