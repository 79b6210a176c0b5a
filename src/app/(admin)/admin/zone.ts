import { headers } from 'next/headers';
import { readZone } from '#console/paging/days.ts';
import { zoneCookie } from '#ui/admin/zone-cookie.ts';

/** The time zone of every time on the console's pages: the browser has said which; UTC until then. */
export async function zoneOfConsole(): Promise<string> {
  const cookies = (await headers()).get('cookie')?.split('; ') ?? [];
  const own = cookies.find((cookie) => cookie.startsWith(`${zoneCookie}=`));
  return readZone(own && decodeURIComponent(own.slice(zoneCookie.length + 1))) ?? 'UTC';
}
