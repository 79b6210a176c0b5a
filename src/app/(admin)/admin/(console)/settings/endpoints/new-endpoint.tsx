'use client';

import { type FormEvent, useState } from 'react';
import { useConfirmedAction } from '#app/(admin)/admin/use-confirmed-action.tsx';
import { api } from '#app/trpc/client.ts';
import { SecretOnce } from '#ui/admin/secret-once.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { EndpointFields, readEndpointFields } from './endpoint-fields.tsx';
import type { EventType } from './event-copy.ts';

export function NewEndpoint(props: {
  eventTypes: readonly EventType[];
  secondFactor: boolean;
  onAdded: () => Promise<void>;
}) {
  const { busy, failure, run, confirmation } = useConfirmedAction(props);
  const [added, setAdded] = useState<{ id: string; url: string; secret: string }>();

  async function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const choice = readEndpointFields(event.currentTarget, props.eventTypes);
    await run(
      () => api.webhookEndpoints.add.mutate(choice),
      (made) => {
        setAdded(made);
        void props.onAdded();
      },
    );
  }

  return (
    <div className="grid gap-5">
      {added && (
        <SecretOnce
          key={added.id}
          title={`The signing secret of ${added.url}`}
          secret={added.secret}
          label="Copy the secret"
        >
          Your server uses it to verify that a message comes from us. It is not shown again.
        </SecretOnce>
      )}
      {/* A form with empty fields after each endpoint that was added. */}
      <form
        key={added?.id}
        method="post"
        noValidate
        onSubmit={add}
        aria-label="New endpoint"
        className="grid gap-4"
      >
        <EndpointFields id="new" eventTypes={props.eventTypes} />
        <div>
          <Button type="submit" busy={busy}>
            Add endpoint
          </Button>
        </div>
        {failure && <InlineError>{failure}</InlineError>}
      </form>
      {confirmation}
    </div>
  );
}
