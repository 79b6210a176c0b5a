import type { Metadata } from 'next';
import { PageShell } from '#ui/page-shell.tsx';

export const metadata: Metadata = { title: 'Back from your bank' };

/**
 * Where shoppers come back to from their bank if the merchant's server named no address of its own. The provider adds ids to
 * this page's address; nothing is concluded from them, and the merchant gets the outcome by the API and by webhook.
 */
export default function BankReturnPage() {
  return (
    <PageShell width="max-w-2xl">
      <h1 className="pt-10 font-semibold text-3xl tracking-[-0.025em] sm:text-4xl">
        Your bank’s answer is on its way
      </h1>
      <p className="mt-4 text-ink-soft text-lg leading-8">
        The shop shows whether the payment went through. You can close this page. You are charged once at
        most.
      </p>
    </PageShell>
  );
}
