'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CheckField } from '#ui/check-field.tsx';
import { Notice } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { authClient, authResult } from '../auth-client.ts';
import { codeCopy } from './sign-in-copy.ts';

/** After these errors the sign-in starts again with the password. */
const over = ['INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'];

export function CodeForm(props: { onDone: () => void; onOver: (message: string) => void }) {
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const alert = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is another one when the kind of code is
  useEffect(() => field.current?.focus(), [kind]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const code = String(data.get('code')).replaceAll(/\s/g, '');
    const trustDevice = data.get('trust') === 'on';
    if (!code) return showError('Enter the code.');
    setBusy(true);
    const { problem: refused } = await authResult(
      kind === 'totp'
        ? authClient.twoFactor.verifyTotp({ code, trustDevice })
        : authClient.twoFactor.verifyBackupCode({ code, trustDevice }),
    );
    if (!refused) return props.onDone();
    setBusy(false);
    if (over.includes(refused.code ?? '')) return props.onOver(codeCopy(refused));
    showError(codeCopy(refused));
  }

  function showError(message: string) {
    setProblem(message);
    requestAnimationFrame(() => alert.current?.focus());
  }

  return (
    <form method="post" noValidate onSubmit={send} aria-label="Second factor" className="grid gap-5">
      <div ref={alert} tabIndex={-1} role="alert" className="rounded-xl outline-none">
        {problem && <Notice tone="danger" title={problem} />}
      </div>
      {kind === 'totp' ? (
        <TextField
          key="totp"
          id="code"
          ref={field}
          name="code"
          label="Code from your authenticator app"
          hint="Six digits. They change every 30 seconds."
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={9}
        />
      ) : (
        <TextField
          key="backup"
          id="code"
          ref={field}
          name="code"
          label="Backup code"
          hint="One of those you kept when you turned the second factor on. Each works once."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <CheckField
        id="trust"
        name="trust"
        label="Trust this device for 30 days"
        hint="It is then not asked for a code. Only on a device that is yours alone."
      />
      <Button type="submit" size="large" className="w-full" busy={busy}>
        {busy ? 'Checking…' : 'Go on'}
      </Button>
      <Button
        tone="quiet"
        onClick={() => {
          setProblem(undefined);
          setKind(kind === 'totp' ? 'backup' : 'totp');
        }}
      >
        {kind === 'totp' ? 'Use a backup code instead' : 'Use the authenticator app instead'}
      </Button>
    </form>
  );
}
