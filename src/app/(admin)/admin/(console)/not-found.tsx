import type { Metadata } from 'next';
import { PageHeading } from '#ui/admin/card.tsx';
import { Link } from '#ui/admin/link.tsx';
import { buttonStyle } from '#ui/button-style.ts';

export const metadata: Metadata = { title: 'Not found' };

/** Within the console's layout, so that the navigation stays. */
export default function ConsoleNotFound() {
  return (
    <>
      <PageHeading title="There is nothing at this address">
        The link may be mistyped or cut short, or it belongs to another shop. If you work for several, switch
        to that one, and open the link again.
      </PageHeading>
      <p className="mt-6 flex flex-wrap gap-3">
        <Link href="/admin" className={buttonStyle('secondary')}>
          Overview
        </Link>
        <Link href="/admin/operations" className={buttonStyle('quiet')}>
          Search the operations
        </Link>
      </p>
    </>
  );
}
