'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, useContext, useEffect } from 'react';
import { zoneCookie } from './zone-cookie.ts';

const Zone = createContext('UTC');

/** The time zone of every time on the page. */
export const useZone = () => useContext(Zone);

const yearSeconds = 31_536_000;

/** The server renders in the zone of the browser's last visit; a browser that is elsewhere now says so, once. */
export function ZoneProvider({ zone, children }: { zone: string; children: ReactNode }) {
  const router = useRouter();
  useEffect(() => {
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (own === zone || document.cookie.split('; ').includes(`${zoneCookie}=${own}`)) return;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox and on plain http
    document.cookie = `${zoneCookie}=${own}; path=/admin; max-age=${yearSeconds}; samesite=lax`;
    router.refresh();
  }, [zone, router]);
  return <Zone value={zone}>{children}</Zone>;
}

/** "Times: Europe/Berlin", at the end of every page. */
export function ZoneName() {
  return (
    <p className="text-ink-faint text-xs">All times are in the time zone {useZone().replaceAll('_', ' ')}.</p>
  );
}
