'use client';

import { type FormEvent, useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { buttonStyle } from '#ui/button-style.ts';
import { CopyButton } from '#ui/copy-button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { QrCode } from '#ui/qr-code.tsx';
import { TextField } from '#ui/text-field.tsx';

/** The app receives the secret, and proves it with a first code. The second factor is off before that. */
export function EnrolApp(props: {
  uri: string;
  busy: boolean;
  failure: string | undefined;
  onCode: (code: string) => void;
  onCancel: () => void;
}) {
  const secret = new URL(props.uri).searchParams.get('secret') ?? '';
  const grouped = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const code = String(new FormData(event.currentTarget).get('code')).replaceAll(/\s/g, '');
    props.onCode(code);
  }

  return (
    <div className="grid max-w-xl gap-6">
      <div>
        <h3 ref={heading} tabIndex={-1} className="font-medium outline-none">
          1. Show this to your authenticator app
        </h3>
        <p className="mt-1 text-ink-soft text-sm leading-6">
          Scan it with the app. If you cannot scan it, enter the key below in the app by hand, for a
          time-based code; the spaces do not matter.
        </p>
        <QrCode text={props.uri} label="The key as a code to scan" />
        <div className="mt-3 flex items-center gap-2 rounded-xl bg-sunken py-2.5 pr-4 pl-4">
          <code data-testid="totp-secret" className="min-w-0 flex-1 break-words font-mono text-[0.9375rem]">
            {grouped}
          </code>
          <CopyButton text={secret} label="Copy the key" />
        </div>
        <a href={props.uri} className={`mt-3 ${buttonStyle('secondary', 'small')}`}>
          Open in an app on this device
        </a>
      </div>
      <form method="post" noValidate onSubmit={send} aria-label="First code" className="grid gap-4">
        <h3 className="font-medium">2. Type the code it shows</h3>
        <TextField
          id="first-code"
          name="code"
          label="Six digits"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={9}
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" busy={props.busy}>
            Turn it on
          </Button>
          <Button tone="quiet" onClick={props.onCancel}>
            Cancel
          </Button>
        </div>
        {props.failure && <InlineError>{props.failure}</InlineError>}
      </form>
    </div>
  );
}
