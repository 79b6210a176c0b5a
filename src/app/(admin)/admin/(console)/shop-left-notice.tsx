'use client';

import { usePathname } from 'next/navigation';
import { useEffect, useState } from 'react';
import { takeShopLeft } from '#app/trpc/shop-left.ts';
import { Notice } from '#ui/notice.tsx';

/** On a page that has been loaded again by itself, because another shop is open now. It is gone with the next page. */
export function ShopLeftNotice({ tenantName }: { tenantName: string }) {
  const path = usePathname();
  const [leftAt, setLeftAt] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the document, not about the pages opened in it
  useEffect(() => {
    if (takeShopLeft(() => window.sessionStorage)) setLeftAt(path);
  }, []);
  return (
    <div role="status" className="mb-6 empty:hidden">
      {leftAt === path && (
        <Notice tone="warn" title={`This page shows ${tenantName} now.`}>
          The shop that it showed before is no longer open: another one was opened in another tab, or you are
          no longer a member of it. What you had not saved was not saved.
        </Notice>
      )}
    </div>
  );
}
