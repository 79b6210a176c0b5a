'use client';

import { type FormEvent, useRef, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { SecretOnce } from '#ui/admin/secret-once.tsx';
import { Button } from '#ui/button.tsx';
import { CheckField } from '#ui/check-field.tsx';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { TextField } from '#ui/text-field.tsx';
import { expiryOptions, scopeCopy, scopeNames } from './key-copy.ts';

export function CreateKeyForm(props: { secondFactor: boolean }) {
  const [made, setMade] = useState<{ id: string; name: string; token: string }>();
  const form = useRef<HTMLFormElement>(null);
  const { busy, failure, run, confirmation } = useConfirmedCommand(
    props,
    useTRPC().apiKeys.create.mutationOptions({
      onSuccess: (created, { name }) => {
        setMade({ name, ...created });
        form.current?.reset();
      },
    }),
  );

  function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const name = String(data.get('name')).trim();
    const scopes = scopeNames.filter((scope) => data.has(scope));
    const days = Number(data.get('expiry'));
    run({ name, scopes, expiresInDays: days || null });
  }

  return (
    <div className="grid gap-5">
      {made && (
        <SecretOnce key={made.id} title={`The key “${made.name}”`} secret={made.token} label="Copy the key">
          Store it where your program can read it, and nowhere else. It is not shown again: if it is lost,
          revoke it and create a new one.
        </SecretOnce>
      )}
      <form ref={form} method="post" noValidate onSubmit={create} aria-label="New key" className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-[1fr_12rem]">
          <TextField
            id="key-name"
            name="name"
            label="Name"
            placeholder="Till in the front shop"
            maxLength={60}
            autoComplete="off"
            required
          />
          <SelectField
            id="key-expiry"
            name="expiry"
            label="Works for"
            options={expiryOptions}
            defaultValue="365"
          />
        </div>
        <fieldset>
          <legend className="font-medium text-sm">What it is for</legend>
          <div className="mt-1 grid gap-x-6 sm:grid-cols-3">
            {scopeNames.map((scope) => (
              <CheckField
                key={scope}
                id={`scope-${scope}`}
                name={scope}
                label={scopeCopy[scope].label}
                hint={scopeCopy[scope].may}
                defaultChecked={scope !== 'refund'}
              />
            ))}
          </div>
        </fieldset>
        <div>
          <Button type="submit" busy={busy}>
            Create key
          </Button>
        </div>
        {failure && <InlineError>{failure}</InlineError>}
      </form>
      {confirmation}
    </div>
  );
}
