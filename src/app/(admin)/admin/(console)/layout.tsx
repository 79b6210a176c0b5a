import Link from 'next/link';
import type { ReactNode } from 'react';
import { ConsoleNav } from '#ui/admin/console-nav.tsx';
import { Wordmark } from '#ui/wordmark.tsx';
import { serverApi } from '../../../trpc/server.ts';
import { signedIn } from '../signed-in.ts';
import { ConsoleKeys } from './keys/console-keys.tsx';
import { SignOutButton } from './sign-out-button.tsx';

export const dynamic = 'force-dynamic';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const api = await serverApi();
  const member = await signedIn(api.people.me());
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="border-line border-b bg-surface">
        <div className="mx-auto flex h-16 max-w-7xl items-center gap-4 px-5 sm:px-8">
          <Link
            href="/admin"
            className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2"
            aria-label="Paidonce operations"
          >
            <Wordmark />
          </Link>
          <span aria-hidden="true" className="hidden h-5 w-px bg-line sm:block" />
          <p className="hidden truncate font-medium text-sm sm:block">{member.tenantName}</p>
          <p className="ml-auto hidden truncate text-ink-soft text-sm md:block">
            {member.email}
            <span className="ml-2 rounded-md bg-sunken px-1.5 py-0.5 text-ink-faint text-xs">
              {member.role}
            </span>
          </p>
          <SignOutButton className="-mr-3.5 ml-auto md:ml-0" />
        </div>
        <p className="truncate border-line border-t px-5 py-2 text-ink-soft text-sm md:hidden">
          <span className="font-medium text-ink sm:hidden">{member.tenantName} · </span>
          {member.email}
        </p>
        <ConsoleNav>
          <ConsoleKeys />
        </ConsoleNav>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-7xl flex-1 px-5 py-8 outline-none sm:px-8 sm:py-10"
      >
        {children}
      </main>
    </div>
  );
}
