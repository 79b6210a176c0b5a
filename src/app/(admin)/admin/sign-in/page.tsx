import type { Metadata } from 'next';
import { services } from '#server/services.ts';
import { PageShell } from '#ui/page-shell.tsx';
import { SignInForm } from './sign-in-form.tsx';

export const metadata: Metadata = { title: 'Sign in' };

export default async function SignInPage({ searchParams }: { searchParams: Promise<{ next?: string }> }) {
  const { next } = await searchParams;
  return (
    <PageShell width="max-w-md">
      <h1 className="pt-6 font-semibold text-3xl tracking-[-0.025em]">Sign in</h1>
      <p className="mt-2 mb-8 text-ink-soft leading-7">
        For the people of a shop.
        {services().settings.demo && (
          <>
            {' '}
            The demo logins are printed by <code className="font-mono text-sm">npm start</code> and kept, with
            one for every role, in <code className="font-mono text-sm">.data/demo.json</code>.
          </>
        )}
      </p>
      <SignInForm next={consolePath(next)} />
    </PageShell>
  );
}

/** Only a page of the console: a link must not send a user who has just signed in to another site. */
function consolePath(next: unknown): string {
  return typeof next === 'string' && /^\/admin\/[\w/-]*$/.test(next) ? next : '/admin';
}
