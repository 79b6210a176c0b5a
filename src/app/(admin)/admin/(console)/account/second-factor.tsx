'use client';

import { ShieldCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Mishap } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { type AuthProblem, ask, authClient } from '#app/(admin)/admin/auth-client.ts';
import { accountWords } from './account-copy.ts';
import { BackupCodes } from './backup-codes.tsx';
import { EnrolApp } from './enrol-app.tsx';

type Step =
  | { kind: 'rest' }
  | { kind: 'password'; wish: 'on' | 'off' | 'codes' }
  | { kind: 'enrol'; uri: string; codes: readonly string[] }
  | { kind: 'codes'; codes: readonly string[] };

const wishes = {
  on: { button: 'Turn it on', go: 'Go on' },
  off: { button: 'Turn it off', go: 'Turn it off' },
  codes: { button: 'New backup codes', go: 'Make new codes' },
} as const;

/** On: password, the app, a first code, backup codes. Off and new codes: the password. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const router = useRouter();
  const [step, setStep] = useState<Step>({ kind: 'rest' });
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function attempt<T>(call: Parameters<typeof ask<T>>[0]): Promise<T | undefined> {
    setBusy(true);
    setFailure(undefined);
    const { data, problem } = (await ask(call)) as { data?: T; problem?: AuthProblem };
    setBusy(false);
    if (problem) setFailure(accountWords(problem));
    return problem ? undefined : data;
  }

  async function withPassword(event: FormEvent<HTMLFormElement>, wish: 'on' | 'off' | 'codes') {
    event.preventDefault();
    if (busy) return;
    const password = String(new FormData(event.currentTarget).get('password'));
    if (wish === 'on') {
      const begun = await attempt(authClient.twoFactor.enable({ password }));
      if (begun && 'totpURI' in begun)
        setStep({ kind: 'enrol', uri: begun.totpURI, codes: begun.backupCodes });
    } else if (wish === 'off') {
      if (!(await attempt(authClient.twoFactor.disable({ password })))) return;
      setStep({ kind: 'rest' });
      router.refresh();
    } else {
      const made = await attempt(authClient.twoFactor.generateBackupCodes({ password }));
      if (made) setStep({ kind: 'codes', codes: made.backupCodes });
    }
  }

  async function confirm(code: string, codes: readonly string[]) {
    if (busy || !(await attempt(authClient.twoFactor.verifyTotp({ code })))) return;
    setStep({ kind: 'codes', codes });
    router.refresh();
  }

  switch (step.kind) {
    case 'enrol':
      return (
        <EnrolApp
          uri={step.uri}
          busy={busy}
          failure={failure}
          onCode={(code) => confirm(code, step.codes)}
          onCancel={() => setStep({ kind: 'rest' })}
        />
      );
    case 'codes':
      return <BackupCodes codes={step.codes} onKept={() => setStep({ kind: 'rest' })} />;
    case 'password':
      return (
        <form
          method="post"
          noValidate
          onSubmit={(event) => withPassword(event, step.wish)}
          aria-label={wishes[step.wish].button}
          className="grid max-w-md gap-4"
        >
          <TextField
            id="confirm-password"
            name="password"
            type="password"
            label="Your password, to be sure that it is you"
            autoComplete="current-password"
            autoFocus
          />
          <div className="flex flex-wrap gap-2">
            <Button type="submit" busy={busy}>
              {wishes[step.wish].go}
            </Button>
            <Button tone="quiet" onClick={() => setStep({ kind: 'rest' })}>
              Never mind
            </Button>
          </div>
          {failure && <Mishap>{failure}</Mishap>}
        </form>
      );
    case 'rest': {
      const offered = isOn ? (['codes', 'off'] as const) : (['on'] as const);
      return (
        <>
          <p className={`flex items-center gap-2 font-medium text-sm ${isOn ? 'text-ok' : ''}`}>
            {isOn && <ShieldCheck className="size-4" aria-hidden="true" />}
            {isOn ? 'It is on.' : 'It is off.'}
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            {offered.map((wish) => (
              <Button
                key={wish}
                tone={wish === 'on' ? 'primary' : 'secondary'}
                onClick={() => {
                  setFailure(undefined);
                  setStep({ kind: 'password', wish });
                }}
              >
                {wishes[wish].button}
              </Button>
            ))}
          </div>
        </>
      );
    }
  }
}
