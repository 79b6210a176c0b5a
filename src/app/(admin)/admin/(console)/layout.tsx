import { CircleUser } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiProvider } from '#app/trpc/provider.tsx';
import { prefetch, prefetched, serverApi, trpcOfServer } from '#app/trpc/server.ts';
import { ShopOfPage } from '#app/trpc/shop-of-page.tsx';
import { Link } from '#ui/admin/link.tsx';
import { LinkedShopProvider } from '#ui/admin/linked-shop.tsx';
import { roleCopy } from '#ui/admin/role-copy.ts';
import { ZoneName, ZoneProvider } from '#ui/admin/zone.tsx';
import { Wordmark } from '#ui/wordmark.tsx';
import { signedIn } from '../signed-in.ts';
import { zoneOfConsole } from '../zone.ts';
import { Activity } from './activity.tsx';
import { AttentionTitle } from './attention-title.tsx';
import { ChangesProvider } from './changes.tsx';
import { CheckPauseBanner } from './check-pause.tsx';
import { KeepFocus } from './keep-focus.tsx';
import { LiveNav } from './live-nav.tsx';
import { ShopLeftNotice } from './shop-left-notice.tsx';
import { ShopSwitcher } from './shop-switcher.tsx';
import { ConsoleShortcuts } from './shortcuts/console-shortcuts.tsx';
import { SignOutButton } from './sign-out-button.tsx';

export const dynamic = 'force-dynamic';

export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  const api = await serverApi();
  const member = await signedIn(api.people.me());
  // Without them the page is still of use; the browser reads them again.
  await Promise.allSettled([
    prefetch(trpcOfServer.overview.attention.queryOptions()),
    prefetch(trpcOfServer.checks.pause.queryOptions()),
  ]);
  const hasSeveralShops = member.shops.length > 1;
  return (
    <ApiProvider state={prefetched()}>
      <ShopOfPage tenantId={member.tenantId} />
      <LinkedShopProvider tenantId={hasSeveralShops ? member.tenantId : undefined}>
        <ZoneProvider zone={await zoneOfConsole()}>
          <ChangesProvider>
            <Activity />
            <AttentionTitle />
            <KeepFocus />
            <div className="flex min-h-dvh flex-col">
              <header className="border-line border-b bg-surface">
                <div className="mx-auto flex h-16 max-w-7xl items-center gap-3 px-5 sm:gap-4 sm:px-8">
                  <Link
                    href="/admin"
                    className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2"
                    aria-label="Paidonce operations"
                  >
                    <Wordmark />
                  </Link>
                  <span aria-hidden="true" className="hidden h-5 w-px bg-line sm:block" />
                  {hasSeveralShops ? (
                    <ShopSwitcher
                      id="shop"
                      className="hidden w-56 sm:block"
                      current={member.tenantId}
                      shops={member.shops}
                    />
                  ) : (
                    <p className="hidden truncate font-medium text-sm sm:block">{member.tenantName}</p>
                  )}
                  <Link
                    href="/admin/account"
                    className="ml-auto inline-flex min-h-11 min-w-11 items-center justify-center gap-2 rounded-lg px-2 text-ink-soft text-sm hover:text-ink"
                  >
                    <CircleUser className="size-5 shrink-0 md:hidden" aria-hidden="true" />
                    <span className="sr-only">Your account:</span>
                    <span className="sr-only underline decoration-line-strong underline-offset-4 md:not-sr-only md:max-w-64 md:truncate">
                      {member.email}
                    </span>
                    <span className="hidden rounded-md bg-sunken px-1.5 py-0.5 text-ink-faint text-xs md:inline">
                      {roleCopy[member.role].label}
                    </span>
                  </Link>
                  <SignOutButton className="-mr-3.5 whitespace-nowrap" />
                </div>
                <div className="flex items-center gap-3 border-line border-t px-5 py-2 text-ink-soft text-sm md:hidden">
                  {hasSeveralShops ? (
                    <ShopSwitcher
                      id="shop-here"
                      className="w-44 shrink-0 sm:hidden"
                      current={member.tenantId}
                      shops={member.shops}
                    />
                  ) : (
                    <span className="max-w-[60%] shrink-0 truncate font-medium text-ink sm:hidden">
                      {member.tenantName}
                    </span>
                  )}
                  <p className="min-w-0 truncate">
                    {roleCopy[member.role].label} · {member.email}
                  </p>
                </div>
                <LiveNav>
                  <ConsoleShortcuts />
                </LiveNav>
              </header>
              <CheckPauseBanner mayAct={member.role !== 'viewer'} />
              <main
                id="main"
                tabIndex={-1}
                className="mx-auto w-full max-w-7xl flex-1 px-5 py-8 outline-none sm:px-8 sm:py-10"
              >
                <ShopLeftNotice tenantName={member.tenantName} />
                {children}
              </main>
              <footer className="mx-auto w-full max-w-7xl px-5 pb-6 sm:px-8">
                <ZoneName />
              </footer>
            </div>
          </ChangesProvider>
        </ZoneProvider>
      </LinkedShopProvider>
    </ApiProvider>
  );
}
