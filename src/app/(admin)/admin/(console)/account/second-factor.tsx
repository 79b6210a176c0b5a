'use client';

import { ShieldCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { type AuthProblem, authClient, authResult } from '#app/(admin)/admin/auth-client.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { accountCopy } from './account-copy.ts';
import { BackupCodes } from './backup-codes.tsx';
import { EnrolApp } from './enrol-app.tsx';

type Step =
  | { kind: 'idle' }
  | { kind: 'password'; change: Change }
  | { kind: 'enrol'; uri: string; codes: readonly string[] }
  | { kind: 'codes'; codes: readonly string[] };

type Change = 'on' | 'off' | 'codes';

const changes = {
  on: { button: 'Turn it on', go: 'Go on' },
  off: { button: 'Turn it off', go: 'Turn it off' },
  codes: { button: 'New backup codes', go: 'Make new codes' },
} as const;

/** On: password, the app, a first code, backup codes. Off and new codes: the password. */
export function SecondFactor({ isOn }: { isOn: boolean }) {
  const router = useRouter();
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function attempt<T>(call: Parameters<typeof authResult<T>>[0]): Promise<T | undefined> {
    setBusy(true);
    setFailure(undefined);
    const { data, problem } = (await authResult(call)) as { data?: T; problem?: AuthProblem };
    setBusy(false);
    if (problem) setFailure(accountCopy(problem));
    return problem ? undefined : data;
  }

  async function withPassword(event: FormEvent<HTMLFormElement>, change: Change) {
    event.preventDefault();
    if (busy) return;
    const password = String(new FormData(event.currentTarget).get('password'));
    if (change === 'on') {
      const begun = await attempt(authClient.twoFactor.enable({ password }));
      if (begun && 'totpURI' in begun)
        setStep({ kind: 'enrol', uri: begun.totpURI, codes: begun.backupCodes });
    } else if (change === 'off') {
      if (!(await attempt(authClient.twoFactor.disable({ password })))) return;
      setStep({ kind: 'idle' });
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
          onCancel={() => setStep({ kind: 'idle' })}
        />
      );
    case 'codes':
      return <BackupCodes codes={step.codes} onKept={() => setStep({ kind: 'idle' })} />;
    case 'password':
      return (
        <form
          method="post"
          noValidate
          onSubmit={(event) => withPassword(event, step.change)}
          aria-label={changes[step.change].button}
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
              {changes[step.change].go}
            </Button>
            <Button tone="quiet" onClick={() => setStep({ kind: 'idle' })}>
              Never mind
            </Button>
          </div>
          {failure && <InlineError>{failure}</InlineError>}
        </form>
      );
    case 'idle': {
      const offered = isOn ? (['codes', 'off'] as const) : (['on'] as const);
      return (
        <>
          <p className={`flex items-center gap-2 font-medium text-sm ${isOn ? 'text-ok' : ''}`}>
            {isOn && <ShieldCheck className="size-4" aria-hidden="true" />}
            {isOn ? 'It is on.' : 'It is off.'}
          </p>
          <div className="mt-3 flex flex-wrap gap-2">
            {offered.map((change) => (
              <Button
                key={change}
                tone={change === 'on' ? 'primary' : 'secondary'}
                onClick={() => {
                  setFailure(undefined);
                  setStep({ kind: 'password', change });
                }}
              >
                {changes[change].button}
              </Button>
            ))}
          </div>
        </>
      );
    }
  }
}
