import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { DataTable } from '#ui/admin/data-table.tsx';
import { eventOutcomeCopy } from '#ui/admin/event-copy.ts';
import { FilterBar, FilterSelect } from '#ui/admin/filter-bar.tsx';
import { Pages } from '#ui/admin/pages.tsx';
import { When } from '#ui/admin/when.tsx';
import { addressOf, type Query, readQuery } from '../../query.ts';
import { ReprocessButton } from '../reprocess-button.tsx';

export const metadata: Metadata = { title: 'Webhooks' };

const statusCopy = {
  received: 'Waiting to be processed',
  processed: 'Processed',
  ignored: 'Not related to this shop',
} as const;

type Status = keyof typeof statusCopy;

export default async function WebhooksPage({ searchParams }: { searchParams: Query }) {
  const parameter = await readQuery(searchParams);
  const status = statusOf(parameter('status'));
  const [type, before] = [parameter('type'), parameter('before')];
  const api = await serverApi();
  const [{ events, next }, types, member] = await signedIn(
    Promise.all([
      api.inbox.list({ ...(status && { status }), ...(type && { type }), ...(before && { before }) }),
      api.inbox.types(),
      api.people.me(),
    ]),
  );
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Webhooks</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        The events that the provider sent us, each listed once. An event starts a check; only the provider’s
        answer to it is evidence.
      </p>
      <FilterBar action="/admin/webhooks" label="Filter events" clear={Boolean(status || type)}>
        <FilterSelect
          name="status"
          label="Status"
          value={status}
          any="Any status"
          options={Object.entries(statusCopy)}
        />
        <FilterSelect
          name="type"
          label="Type"
          value={type}
          any="Any type"
          options={types.map((one) => [one, one] as const)}
        />
      </FilterBar>
      <DataTable
        caption="Events of the provider, newest first"
        headings={['Event', 'About', 'Result', 'Received', 'Action']}
        empty={
          status || type || before
            ? 'No matching events.'
            : 'No events yet. The provider sends some with every payment.'
        }
        rows={events.map((event) => ({
          key: event.id,
          cells: [
            <ConsoleLink key="type" href={`/admin/webhooks/${event.id}`} mono>
              {event.type}
            </ConsoleLink>,
            event.operationId ? (
              <ConsoleLink key="operation" href={`/admin/operations/${event.operationId}`} mono>
                {event.reference ?? event.operationId.slice(0, 8)}
              </ConsoleLink>
            ) : (
              <span key="operation" className="text-ink-faint">
                –
              </span>
            ),
            event.status === 'received'
              ? statusCopy.received
              : eventOutcomeCopy(event.outcome ?? event.status, event.operation),
            <When key="at" at={event.receivedAt} precise />,
            member.role === 'viewer' ? null : <ReprocessButton key="again" id={event.id} />,
          ],
        }))}
      />
      <Pages
        what="events"
        newest={before && addressOf('/admin/webhooks', { status, type })}
        older={next ? addressOf('/admin/webhooks', { status, type, before: next }) : undefined}
      />
    </>
  );
}

function statusOf(wanted: string | undefined): Status | undefined {
  return wanted && wanted in statusCopy ? (wanted as Status) : undefined;
}
