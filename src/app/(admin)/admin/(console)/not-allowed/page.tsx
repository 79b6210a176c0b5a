import type { Metadata } from 'next';
import { PageHeading } from '#ui/admin/card.tsx';
import { Link } from '#ui/admin/link.tsx';
import { buttonStyle } from '#ui/button-style.ts';

export const metadata: Metadata = { title: 'No access' };

export default function NotAllowedPage() {
  return (
    <>
      <PageHeading title="Your role has no access to this page">
        An owner of the shop can change your role on the members page.
      </PageHeading>
      <p className="mt-6 flex flex-wrap gap-3">
        <Link href="/admin" className={buttonStyle('secondary')}>
          Back to the console
        </Link>
        <Link href="/admin/members" className={buttonStyle('quiet')}>
          See the members
        </Link>
      </p>
    </>
  );
}
