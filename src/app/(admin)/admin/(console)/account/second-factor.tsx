'use client';

import { useMutation } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { type AuthProblem, authClient, authResult } from '#app/(admin)/admin/auth-client.ts';
import { getQueryClient } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { accountCopy } from './account-copy.ts';
import { BackupCodes } from './backup-codes.tsx';
import { CodeField, readCode } from './code-field.tsx';
import { EnrolApp } from './enrol-app.tsx';

type Step =
  | { kind: 'idle' }
  | { kind: 'password'; change: Change }
  | { kind: 'enrol'; uri: string; codes: readonly string[] }
  | { kind: 'codes'; codes: readonly string[] };

type Change = 'on' | 'off' | 'codes';

const changes = {
  on: { button: 'Turn it on', go: 'Continue' },
  off: { button: 'Turn it off', go: 'Turn it off' },
  codes: { button: 'New backup codes', go: 'Create new codes' },
} as const;

/**
 * On: password, the app, a first code, backup codes. Off and new codes: the password and a code. `next` is the page to open once the
 * backup codes are saved; the present one is not refreshed before that, because it may lead away from the codes.
 */
export function SecondFactor({ isOn, next }: { isOn: boolean; next?: string }) {
  const router = useRouter();
  const [step, setStep] = useState<Step>({ kind: 'idle' });
  const [failure, setFailure] = useState<string>();
  const { mutateAsync, isPending: busy } = useMutation(
    { mutationFn: (call: Parameters<typeof authResult>[0]) => authResult(call) },
    getQueryClient(),
  );

  async function attempt<T>(call: Parameters<typeof authResult<T>>[0]): Promise<T | undefined> {
    setFailure(undefined);
    const { data, problem } = (await mutateAsync(call)) as { data?: T; problem?: AuthProblem };
    if (problem) setFailure(accountCopy(problem));
    return problem ? undefined : data;
  }

  async function withPassword(event: FormEvent<HTMLFormElement>, change: Change) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const password = String(data.get('password'));
    const withCode = { password, fetchOptions: { body: { code: readCode(data) } } };
    if (change === 'on') {
      const enrolment = await attempt(authClient.twoFactor.enable({ password }));
      if (enrolment && 'totpURI' in enrolment)
        setStep({ kind: 'enrol', uri: enrolment.totpURI, codes: enrolment.backupCodes });
    } else if (change === 'off') {
      if (!(await attempt(authClient.twoFactor.disable(withCode)))) return;
      setStep({ kind: 'idle' });
      router.refresh();
    } else {
      const generated = await attempt(authClient.twoFactor.generateBackupCodes(withCode));
      if (generated) setStep({ kind: 'codes', codes: generated.backupCodes });
    }
  }

  async function confirm(code: string, codes: readonly string[]) {
    if (busy || !(await attempt(authClient.twoFactor.verifyTotp({ code })))) return;
    setStep({ kind: 'codes', codes });
    if (!next) router.refresh();
  }

  function leaveCodes() {
    setStep({ kind: 'idle' });
    if (!next) return;
    router.replace(next);
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
      return <BackupCodes codes={step.codes} onSaved={leaveCodes} />;
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
            label="Your password, to confirm that it is you"
            autoComplete="current-password"
            autoFocus
          />
          {isOn && <CodeField id="confirm-code" />}
          <div className="flex flex-wrap gap-2">
            <Button type="submit" busy={busy}>
              {changes[step.change].go}
            </Button>
            <Button tone="quiet" onClick={() => setStep({ kind: 'idle' })}>
              Cancel
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
