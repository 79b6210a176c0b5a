import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { mayEnterDemo } from '#server/demo/enter-demo.ts';
import { services } from '#server/services.ts';
import { Notice } from '#ui/notice.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { EnterDemo } from './enter-demo.tsx';
import { nextPath } from './next-path.ts';
import { SignInForm } from './sign-in-form.tsx';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<{ next?: string; ended?: string }>;
}) {
  const { next: wanted, ended } = await searchParams;
  const next = nextPath(wanted);
  const { settings } = services();
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Sign in</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        For members of a shop.
        {settings.demo && (
          <>
            {' '}
            The demo logins are printed by <code className="font-mono text-sm">npm start</code> and kept, with
            one for every role, in <code className="font-mono text-sm">.data/demo.json</code>.
          </>
        )}
      </p>
      {ended !== undefined && (
        <Notice tone="warn" title="Your session has ended." className="mb-6">
          {next === '/admin' ? 'Sign in again.' : 'Sign in, and you are back where you were.'}
        </Notice>
      )}
      {mayEnterDemo(settings, await headers()) && <EnterDemo next={next} />}
      <SignInForm next={next} />
    </PageShell>
  );
}
