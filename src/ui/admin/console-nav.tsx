'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';

const rooms = [
  ['/admin/operations', 'Operations'],
  ['/admin/proposals', 'Proposals'],
  ['/admin/late', 'Late truths'],
  ['/admin/webhooks', 'Webhooks'],
  ['/admin/outbox', 'Outbox'],
  ['/admin/audit', 'Audit log'],
] as const;

/** The rooms of the console. An operation's own page belongs to the operations. */
export function ConsoleNav() {
  const path = usePathname();
  const current = rooms.findLast(([href]) => path.startsWith(href))?.[0];
  return (
    <nav aria-label="Console" className="border-line border-t">
      <ul className="mx-auto flex max-w-7xl gap-1 overflow-x-auto px-3 sm:px-6">
        {rooms.map(([href, word]) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={href === current ? 'page' : undefined}
              className="inline-flex min-h-11 items-center whitespace-nowrap px-2 text-ink-soft text-sm -outline-offset-2 hover:text-ink aria-[current=page]:font-medium aria-[current=page]:text-ink"
            >
              {word}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
