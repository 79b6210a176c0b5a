import type { Metadata } from 'next';
import Link from 'next/link';
import { PageHeading } from '#ui/admin/card.tsx';
import { buttonStyle } from '#ui/button-style.ts';

export const metadata: Metadata = { title: 'For another role' };

export default function NotAllowedPage() {
  return (
    <>
      <PageHeading title="This is for another role">
        What you opened takes more than your role may do here. An owner of the shop can change that, on the
        members page.
      </PageHeading>
      <p className="mt-6 flex flex-wrap gap-3">
        <Link href="/admin" className={buttonStyle('secondary')}>
          Back to the console
        </Link>
        <Link href="/admin/members" className={buttonStyle('quiet')}>
          Who is who
        </Link>
      </p>
    </>
  );
}
