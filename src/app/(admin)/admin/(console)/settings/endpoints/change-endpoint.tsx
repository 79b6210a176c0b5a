'use client';

import { type FormEvent, useEffect, useRef } from 'react';
import { useConfirmedAction } from '#app/(admin)/admin/use-confirmed-action.tsx';
import { api } from '#app/trpc/client.ts';
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
  const { busy, failure, run, confirmation } = useConfirmedAction(props);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector('input')?.focus(), []);

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const choice = readEndpointFields(event.currentTarget, props.eventTypes);
    await run(
      () => api.webhookEndpoints.change.mutate({ id, ...choice }),
      () => void props.onChanged().then(props.onEnd),
    );
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
