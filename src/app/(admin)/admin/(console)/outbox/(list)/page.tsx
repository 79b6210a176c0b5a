import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { DataTable } from '#ui/admin/data-table.tsx';
import { Pages } from '#ui/admin/pages.tsx';
import { When } from '#ui/admin/when.tsx';
import { addressOf, type Query, readQuery } from '../../query.ts';
import { RetryButton } from '../retry-button.tsx';

export const metadata: Metadata = { title: 'Outbox' };

const emailCopy = {
  queued: 'Waiting to be sent',
  sent: 'Sent',
  kept: 'Kept here: no mail server is set',
  failed: 'Could not be sent',
} as const;

const deliveryCopy = {
  queued: 'On its way',
  delivered: 'Delivered',
  failed: 'Given up',
  cancelled: 'Not delivered',
} as const;

const pageSize = 25;

export default async function OutboxPage({ searchParams }: { searchParams: Query }) {
  const parameter = await readQuery(searchParams);
  const [email, delivery] = [parameter('email'), parameter('delivery')];
  const api = await serverApi();
  // One more than is shown, to know whether there are more.
  const limit = pageSize + 1;
  const [allEmails, allDeliveries, member] = await signedIn(
    Promise.all([
      api.outbox.emails({ limit, ...(email && { before: email }) }),
      api.outbox.deliveries({ limit, ...(delivery && { before: delivery }) }),
      api.people.me(),
    ]),
  );
  const [emails, deliveries] = [allEmails.slice(0, pageSize), allDeliveries.slice(0, pageSize)];
  const address = (query: { email?: string | undefined; delivery?: string | undefined }) =>
    addressOf('/admin/outbox', { email, delivery, ...query });
  const mayAct = member.role !== 'viewer';
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Outbox</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        E-mails and webhooks about payments. Each was stored together with its payment, and is sent once.
      </p>
      <h2 className="mt-8 font-semibold text-lg">E-mails</h2>
      <DataTable
        caption="E-mails, newest first"
        headings={['Subject', 'To', 'About', 'Status', 'Created', 'Tries', 'Action']}
        empty="No e-mails yet. The first payment sends one."
        rows={emails.map((email) => ({
          key: email.id,
          cells: [
            <ConsoleLink key="subject" href={`/admin/outbox/${email.id}`}>
              {email.subject}
            </ConsoleLink>,
            email.toAddress,
            <About key="about" {...email} />,
            <Status key="status" label={emailCopy[email.status]} reason={email.lastError} />,
            <When key="at" at={email.createdAt} />,
            email.attempts,
            mayAct && email.status === 'failed' ? (
              <RetryButton key="retry" kind="email" id={email.id} />
            ) : null,
          ],
        }))}
      />
      <Pages
        what="e-mails"
        newest={email && address({ email: undefined })}
        older={allEmails.length > pageSize ? address({ email: emails.at(-1)?.id }) : undefined}
      />
      <h2 className="mt-10 font-semibold text-lg">Merchant webhooks</h2>
      <DataTable
        caption="Webhook deliveries, newest first"
        headings={['Event', 'To', 'About', 'Status', 'Created', 'Tries', 'Action']}
        empty="No deliveries yet. They start when a webhook endpoint is added."
        rows={deliveries.map((delivery) => ({
          key: delivery.id,
          cells: [
            <span key="type" className="font-mono text-[0.8125rem]">
              {delivery.type}
            </span>,
            <span key="url" className="break-all">
              {delivery.url}
            </span>,
            <About key="about" {...delivery} />,
            <Status key="status" label={deliveryCopy[delivery.status]} reason={delivery.lastError} />,
            <When key="at" at={delivery.createdAt} />,
            delivery.attempts,
            mayAct && delivery.mayRetry ? <RetryButton key="retry" kind="delivery" id={delivery.id} /> : null,
          ],
        }))}
      />
      <Pages
        what="deliveries"
        newest={delivery && address({ delivery: undefined })}
        older={allDeliveries.length > pageSize ? address({ delivery: deliveries.at(-1)?.id }) : undefined}
      />
    </>
  );
}

/** The payment or the refund that it is about. */
function About({ operationId, reference }: { operationId: string | null; reference: string | null }) {
  if (!operationId) return <span className="text-ink-faint">–</span>;
  return (
    <ConsoleLink href={`/admin/operations/${operationId}`} mono>
      {reference ?? operationId.slice(0, 8)}
    </ConsoleLink>
  );
}

function Status({ label, reason }: { label: string; reason: string | null }) {
  return (
    <>
      {label}
      {reason && <span className="block text-ink-faint text-xs">{reason}</span>}
    </>
  );
}
