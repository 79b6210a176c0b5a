import type { Metadata } from 'next';
import Link from 'next/link';
import { DataRow, DataTable } from '#ui/admin/data-table.tsx';
import { Moment } from '#ui/moment.tsx';
import { serverApi } from '../../../../trpc/server.ts';
import { signedIn } from '../../signed-in.ts';
import { RetryButton } from './retry-button.tsx';

export const metadata: Metadata = { title: 'Outbox' };

const emailWords = {
  queued: 'Waiting to be sent',
  sent: 'Sent',
  kept: 'Kept here: no mail server is set',
  failed: 'Could not be sent',
} as const;

const deliveryWords = { queued: 'On its way', delivered: 'Delivered', failed: 'Given up' } as const;

export default async function OutboxPage() {
  const api = await serverApi();
  const [emails, deliveries] = await signedIn(
    Promise.all([api.outbox.emails({ limit: 100 }), api.outbox.deliveries({ limit: 100 })]),
  );
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Outbox</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        What payments have set in motion: each message was written down with the payment, and is sent once.
      </p>
      <h2 className="mt-8 font-semibold text-lg">E-mails</h2>
      <DataTable
        caption="E-mails, newest first"
        headings={['Subject', 'To', 'Status', 'Written', 'Tries', 'Action']}
        empty="No e-mails yet. The first payment writes one."
      >
        {emails.map((email) => (
          <DataRow key={email.id}>
            {[
              <Link
                key="subject"
                href={`/admin/outbox/${email.id}`}
                className="font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent"
              >
                {email.subject}
              </Link>,
              email.toAddress,
              <Status key="status" word={emailWords[email.status]} reason={email.lastError} />,
              <Moment key="at" at={email.createdAt} />,
              email.attempts,
              email.status === 'failed' ? <RetryButton key="retry" kind="email" id={email.id} /> : null,
            ]}
          </DataRow>
        ))}
      </DataTable>
      <h2 className="mt-10 font-semibold text-lg">Merchant webhooks</h2>
      <DataTable
        caption="Webhook deliveries, newest first"
        headings={['Event', 'To', 'Status', 'Written', 'Tries', 'Action']}
        empty="No deliveries. They begin when a webhook address is set."
      >
        {deliveries.map((delivery) => (
          <DataRow key={delivery.id}>
            {[
              <span key="type" className="font-mono text-[0.8125rem]">
                {delivery.type}
              </span>,
              delivery.url,
              <Status key="status" word={deliveryWords[delivery.status]} reason={delivery.lastError} />,
              <Moment key="at" at={delivery.createdAt} />,
              delivery.attempts,
              delivery.status === 'failed' ? (
                <RetryButton key="retry" kind="delivery" id={delivery.id} />
              ) : null,
            ]}
          </DataRow>
        ))}
      </DataTable>
    </>
  );
}

function Status({ word, reason }: { word: string; reason: string | null }) {
  return (
    <>
      {word}
      {reason && <span className="block text-ink-faint text-xs">{reason}</span>}
    </>
  );
}
