import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { orNotFound } from '#app/trpc/or-not-found.ts';
import { serverApi } from '#app/trpc/server.ts';
import { BackLink } from '#ui/admin/back-link.tsx';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { eventOutcomeCopy } from '#ui/admin/event-copy.ts';
import { Fact, Facts, Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import { ReprocessButton } from '../reprocess-button.tsx';

export const metadata: Metadata = { title: 'Webhook' };

export default async function WebhookPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const api = await serverApi();
  const [event, member] = await signedIn(Promise.all([orNotFound(api.inbox.get({ id })), api.people.me()]));
  return (
    <>
      <BackLink href="/admin/webhooks">Webhooks</BackLink>
      <h1 className="mt-3 break-all font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">{event.type}</h1>
      <div className="mt-6 max-w-4xl">
        <Panel title="The event">
          <Facts>
            <Fact name="Id" mono>
              {event.eventId}
            </Fact>
            <Fact name="Received">
              <When at={event.receivedAt} precise />
            </Fact>
            <Fact name="About">
              {event.operationId ? (
                <ConsoleLink href={`/admin/operations/${event.operationId}`} mono>
                  {event.reference ?? event.operationId}
                </ConsoleLink>
              ) : (
                'Not related to this shop'
              )}
            </Fact>
            <Fact name="Result">
              {event.status === 'received'
                ? 'Waiting to be processed'
                : eventOutcomeCopy(event.outcome ?? event.status, event.operation)}
            </Fact>
            {event.processedAt && (
              <Fact name="Processed">
                <When at={event.processedAt} precise />
              </Fact>
            )}
          </Facts>
          {member.role !== 'viewer' && (
            <div className="mt-4">
              <ReprocessButton id={event.id} />
            </div>
          )}
        </Panel>
        <Panel title="Content" aside="Personal data and secrets are hidden" bare>
          {event.payload === null ? (
            <p className="rounded-2xl border border-line border-dashed px-5 py-10 text-center text-ink-soft">
              {event.operationId
                ? 'It was deleted a month after it was processed.'
                : 'It is not related to this shop, so it is not shown.'}
            </p>
          ) : (
            <section
              aria-label="Payload"
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
              tabIndex={0}
              className="overflow-x-auto rounded-2xl border border-line bg-sunken p-5"
            >
              <pre className="font-mono text-[0.8125rem] leading-5">
                {JSON.stringify(event.payload, null, 2)}
              </pre>
            </section>
          )}
        </Panel>
      </div>
    </>
  );
}
