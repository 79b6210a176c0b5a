import type { Metadata } from 'next';
import { services } from '#server/services.ts';
import { Notice } from '#ui/notice.tsx';
import { PageShell } from '#ui/page-shell.tsx';
import { DoubleClick } from './double-click.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Lab' };

export default function LabPage() {
  const sandbox = services().settings.provider === 'sandbox';
  return (
    <PageShell>
      <h1 className="font-semibold text-4xl tracking-[-0.03em] sm:text-5xl">The double click</h1>
      <p className="mt-4 max-w-[58ch] text-ink-soft text-lg leading-8">
        An impatient shopper pays €42.00 and clicks more than once, all clicks at the same moment. Both
        checkouts below send to the same provider. One goes through Paidonce; the other treats every click as
        a payment. The provider’s own ledger is the judge.
      </p>
      {sandbox ? (
        <DoubleClick />
      ) : (
        <Notice tone="warn" title="The lab is closed here." className="mt-8 max-w-xl">
          It double-charges on purpose in one of its lanes, so it runs only against the built-in sandbox. This
          server is connected to Stripe.
        </Notice>
      )}
    </PageShell>
  );
}
