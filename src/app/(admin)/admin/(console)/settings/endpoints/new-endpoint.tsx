'use client';

import { type FormEvent, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
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
  const [added, setAdded] = useState<{ id: string; url: string; secret: string }>();
  const { busy, failure, run, confirmation } = useConfirmedCommand(
    props,
    useTRPC().webhookEndpoints.add.mutationOptions({
      onSuccess: (made) => {
        setAdded(made);
        void props.onAdded();
      },
    }),
  );

  function add(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    run(readEndpointFields(event.currentTarget, props.eventTypes));
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
