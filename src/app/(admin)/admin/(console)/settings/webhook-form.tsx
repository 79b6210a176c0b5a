'use client';

import { type FormEvent, useState } from 'react';
import { useAction } from '#app/(admin)/admin/use-action.ts';
import { api } from '#app/trpc/client.ts';
import { SecretOnce } from '#ui/admin/secret-once.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';

export function WebhookForm({ isSet }: { isSet: boolean }) {
  const { busy, failure, run } = useAction();
  const [secret, setSecret] = useState<string>();

  async function set(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const url = String(new FormData(form).get('url')).trim();
    const done = await run(() => api.settings.setWebhookEndpoint.mutate({ url }));
    if (!done) return;
    setSecret(done.done.secret);
    form.reset();
  }

  return (
    <div className="mt-5 grid gap-5">
      {secret && (
        <SecretOnce key={secret} title="The signing secret" secret={secret} label="Copy the secret">
          Your server checks with it that a message comes from here. It is not shown again.
        </SecretOnce>
      )}
      <form method="post" noValidate onSubmit={set} aria-label="Webhook" className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-[1fr_auto] sm:items-end">
          <TextField
            id="webhook-url"
            name="url"
            type="url"
            label={isSet ? 'New address' : 'Address'}
            placeholder="https://shop.example/hooks"
            autoComplete="off"
            required
          />
          <Button type="submit" tone="secondary" className="min-h-12" busy={busy}>
            {isSet ? 'Replace address and secret' : 'Set address'}
          </Button>
        </div>
        {failure && <InlineError>{failure}</InlineError>}
      </form>
    </div>
  );
}
