import type { Metadata } from 'next';
import Link from 'next/link';
import { DataRow, DataTable } from '#ui/admin/data-table.tsx';
import { Moment } from '#ui/moment.tsx';
import { serverApi } from '../../../../trpc/server.ts';
import { signedIn } from '../../signed-in.ts';
import { ReprocessButton } from './reprocess-button.tsx';

export const metadata: Metadata = { title: 'Webhooks' };

export default async function WebhooksPage() {
  const api = await serverApi();
  const events = await signedIn(api.inbox.list());
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Webhooks</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        What the provider has told us, each event once. An event is a hint where to look, never the truth
        itself.
      </p>
      <DataTable
        caption="Events of the provider, newest first"
        headings={['Event', 'About', 'What came of it', 'Received', 'Action']}
        empty="No events yet. The provider sends some with every payment."
      >
        {events.map((event) => (
          <DataRow key={event.id}>
            {[
              <span key="type" className="font-mono text-[0.8125rem]" title={event.eventId}>
                {event.type}
              </span>,
              event.operationId ? (
                <Link
                  key="operation"
                  href={`/admin/operations/${event.operationId}`}
                  className="font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-4 hover:decoration-accent"
                >
                  {event.operationId.slice(0, 8)}
                </Link>
              ) : (
                'Nothing of ours'
              ),
              event.status === 'received' ? 'Waiting to be looked into' : (event.outcome ?? event.status),
              <Moment key="at" at={event.receivedAt} precise />,
              <ReprocessButton key="again" id={event.id} />,
            ]}
          </DataRow>
        ))}
      </DataTable>
    </>
  );
}
