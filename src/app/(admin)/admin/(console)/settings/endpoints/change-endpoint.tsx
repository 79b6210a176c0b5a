'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { EndpointFields, readEndpointFields } from './endpoint-fields.tsx';
import type { Endpoint, EventType } from './event-copy.ts';

export function ChangeEndpoint(props: {
  endpoint: Endpoint;
  eventTypes: readonly EventType[];
  secondFactor: boolean;
  onChanged: () => Promise<void>;
  onEnd: () => void;
}) {
  const { id, url } = props.endpoint;
  const { busy, failure, run, confirmation } = useConfirmedCommand(
    props,
    useTRPC().webhookEndpoints.change.mutationOptions({
      onSuccess: () => void props.onChanged().then(props.onEnd),
    }),
  );
  // The list is read again meanwhile, but the fields keep what they showed at first.
  const [seen] = useState(() => {
    const { url, description, eventTypes } = props.endpoint;
    return { url, description, eventTypes };
  });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    run({ id, seen, ...readEndpointFields(event.currentTarget, props.eventTypes) });
  }

  return (
    <form
      ref={form}
      method="post"
      noValidate
      onSubmit={save}
      aria-label={`Edit ${url}`}
      className="mt-5 grid gap-4"
    >
      <EndpointFields id={id} eventTypes={props.eventTypes} endpoint={props.endpoint} />
      {failure && <InlineError>{failure}</InlineError>}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="secondary" busy={busy}>
          Save
        </Button>
        <Button type="button" tone="quiet" onClick={props.onEnd}>
          Cancel
        </Button>
      </div>
      {confirmation}
    </form>
  );
}
