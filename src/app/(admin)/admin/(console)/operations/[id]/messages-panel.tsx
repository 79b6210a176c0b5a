import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { eventOutcomeCopy } from '#ui/admin/event-copy.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import type { Operation } from './operation.ts';

const emailCopy = new Map([
  ['queued', 'waiting to be sent'],
  ['kept', 'kept here: no mail server is set'],
  ['failed', 'could not be sent'],
]);

/** Webhooks that were received, and e-mails and webhooks that were sent. */
export function MessagesPanel(props: Pick<Operation, 'messages' | 'operation'>) {
  const { received, events } = props.messages;
  return (
    <Panel title="Messages">
      <h3 className="mb-2 font-medium">From the provider</h3>
      {received.length === 0 ? (
        <p className="text-ink-soft">No webhook received yet.</p>
      ) : (
        <ul className="grid gap-2.5">
          {received.map((event) => (
            <li key={event.id}>
              <ConsoleLink href={`/admin/webhooks/${event.id}`} mono>
                {event.type}
              </ConsoleLink>
              <span className="block text-ink-faint">
                <When at={event.at} precise />
                {' · '}
                {event.status === 'received'
                  ? 'Waiting to be processed'
                  : eventOutcomeCopy(event.outcome ?? event.status, props.operation)}
              </span>
            </li>
          ))}
        </ul>
      )}
      <h3 className="mt-5 mb-2 font-medium">Notifications sent</h3>
      {events.length === 0 ? (
        <p className="text-ink-soft">None sent yet.</p>
      ) : (
        <ul className="grid gap-2.5">
          {events.map((event) => (
            <li key={event.id}>
              <span className="font-mono text-[0.8125rem]">{event.type}</span>
              <ul className="mt-1 grid gap-1 text-ink-soft">
                {event.emails.map((email) => (
                  <li key={email.id}>
                    <ConsoleLink href={`/admin/outbox/${email.id}`}>{email.subject}</ConsoleLink>,{' '}
                    {emailCopy.get(email.status) ?? email.status}
                  </li>
                ))}
                {event.deliveries.map((delivery) => (
                  <li key={delivery.id}>
                    Webhook to <span className="break-all">{delivery.url}</span>, {delivery.status}
                  </li>
                ))}
                {event.emails.length === 0 && event.deliveries.length === 0 && (
                  <li>No e-mail and no webhook sent for it yet.</li>
                )}
              </ul>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
