'use client';

import { Check, CircleAlert, CirclePause } from 'lucide-react';
import { useRef, useState } from 'react';
import { Badge } from '#ui/admin/badge.tsx';
import { SecretOnce } from '#ui/admin/secret-once.tsx';
import { When } from '#ui/admin/when.tsx';
import { ChangeEndpoint } from './change-endpoint.tsx';
import { EndpointActions } from './endpoint-actions.tsx';
import { type Endpoint, type EventType, eventCopy } from './event-copy.ts';
import { LastDeliveries } from './last-deliveries.tsx';
import { TestResult } from './test-result.tsx';

export function EndpointCard(props: {
  endpoint: Endpoint;
  eventTypes: readonly EventType[];
  isOwner: boolean;
  mayTest: boolean;
  secondFactor: boolean;
  onChanged: () => Promise<void>;
}) {
  const { endpoint, secondFactor, onChanged } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const [editing, setEditing] = useState(false);
  const [test, setTest] = useState<string>();
  const [secret, setSecret] = useState<string>();
  const headingId = `endpoint-${endpoint.id}`;

  /** The button that was pressed is gone, so the focus goes to the endpoint itself. */
  function stopEditing() {
    setEditing(false);
    heading.current?.focus();
  }

  return (
    <li
      aria-labelledby={headingId}
      className="rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-6"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h2
            id={headingId}
            ref={heading}
            tabIndex={-1}
            className="break-all font-mono text-[0.9375rem] outline-none focus-visible:ring-2 focus-visible:ring-accent"
          >
            {endpoint.url}
          </h2>
          {endpoint.description && <p className="mt-1 break-words text-sm">{endpoint.description}</p>}
        </div>
        <State endpoint={endpoint} />
      </div>
      <Facts endpoint={endpoint} />
      {editing ? (
        <ChangeEndpoint {...props} onEnd={stopEditing} />
      ) : (
        <EndpointActions
          endpoint={endpoint}
          isOwner={props.isOwner}
          mayTest={props.mayTest}
          secondFactor={secondFactor}
          onChanged={onChanged}
          onEdit={() => setEditing(true)}
          onTest={setTest}
          onSecret={setSecret}
          onSwitched={() => heading.current?.focus()}
        />
      )}
      {secret && (
        <div className="mt-4">
          <SecretOnce key={secret} title="The new signing secret" secret={secret} label="Copy the secret">
            It is not shown again. For a day every message is signed with the old one as well, so that your
            server can change to this one without losing any.
          </SecretOnce>
        </div>
      )}
      {test && <TestResult key={test} id={test} onEnd={onChanged} />}
      <LastDeliveries deliveries={endpoint.deliveries} waiting={endpoint.waiting} />
    </li>
  );
}

function State({ endpoint }: { endpoint: Endpoint }) {
  if (endpoint.disabledAt) {
    return <Badge label="Disabled" Icon={CirclePause} colour="bg-sunken text-ink-soft" />;
  }
  if (endpoint.failingSince) {
    return <Badge label="Failing" Icon={CircleAlert} colour="bg-danger-soft text-danger" />;
  }
  return <Badge label="Enabled" Icon={Check} colour="bg-ok-soft text-ok" />;
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const { eventTypes, disabledAt, failingSince, oldSecretUntil } = endpoint;
  return (
    <div className="mt-2 grid gap-0.5 text-ink-soft text-sm">
      <p>{eventTypes.length === 0 ? 'All events' : eventTypes.map((type) => eventCopy[type]).join(' · ')}</p>
      <p className="text-ink-faint text-xs">
        Added <When at={endpoint.createdAt} />
        {disabledAt && (
          <>
            {' · '}disabled <When at={disabledAt} />
          </>
        )}
        {failingSince && !disabledAt && (
          <>
            {' · '}failing since <When at={failingSince} />
          </>
        )}
        {oldSecretUntil && (
          <>
            {' · '}the old secret also signs until <When at={oldSecretUntil} />
          </>
        )}
      </p>
    </div>
  );
}
