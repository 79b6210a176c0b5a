'use client';

import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { CheckField } from '#ui/check-field.tsx';
import { Notice } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { authClient } from '../auth-client.ts';
import { useAuthCall } from '../use-auth-call.ts';
import { codeCopy } from './sign-in-copy.ts';

/** After these errors the sign-in starts again with the password. */
const restartCodes = ['INVALID_TWO_FACTOR_COOKIE', 'TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE'];

export function CodeForm(props: { onDone: () => void; onRestart: (message: string) => void }) {
  const [kind, setKind] = useState<'totp' | 'backup'>('totp');
  const [problem, setProblem] = useState<string>();
  const alert = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is another one when the kind of code is
  useEffect(() => field.current?.focus(), [kind]);

  const code = useAuthCall(
    (given: { code: string; trustDevice: boolean }) =>
      kind === 'totp' ? authClient.twoFactor.verifyTotp(given) : authClient.twoFactor.verifyBackupCode(given),
    {
      onDone: props.onDone,
      onProblem: (problem) => {
        if (restartCodes.includes(problem.code ?? '')) return props.onRestart(codeCopy(problem));
        showError(codeCopy(problem));
      },
    },
  );
  // The next page takes a moment to come.
  const busy = code.busy || code.done;

  function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const given = String(data.get('code')).replaceAll(/\s/g, '');
    if (!given) return showError('Enter the code.');
    code.run({ code: given, trustDevice: data.get('trust') === 'on' });
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
          hint="One of those you saved when you turned the second factor on. Each works once."
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
      <CheckField
        id="trust"
        name="trust"
        label="Trust this device for 30 days"
        hint="You will not be asked for a code on it. Use this only on a device that is yours alone."
      />
      <Button type="submit" size="large" className="w-full" busy={busy}>
        {busy ? 'Checking…' : 'Continue'}
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
