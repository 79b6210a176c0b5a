'use client';

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { buttonStyle } from '../button-style.ts';
import { TextField } from '../text-field.tsx';
import { proofOf } from './proof.ts';

const fields = {
  password: { label: 'Your password', type: 'password', autoComplete: 'current-password' },
  code: {
    label: 'The code from your authenticator app',
    type: 'text',
    autoComplete: 'one-time-code',
    inputMode: 'numeric',
  },
} as const;

/** Asks the person to prove who they are. `onProof` returns an error message, if there is one; then the dialog stays. */
export function ConfirmIdentity(props: {
  open: boolean;
  by: keyof typeof fields;
  onProof: (proof: string) => Promise<string | undefined>;
  onCancel: () => void;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // A portal's events reach the form that the dialog was opened from.
    event.stopPropagation();
    if (busy) return;
    const typed = String(new FormData(event.currentTarget).get('proof'));
    const proof = proofOf(props.by, typed);
    setBusy(true);
    setFailure(undefined);
    const problem = await props.onProof(proof);
    setBusy(false);
    setFailure(problem);
    if (!problem) return;
    field.current?.focus();
    field.current?.select();
  }

  function cancel() {
    setFailure(undefined);
    props.onCancel();
  }

  return (
    <AlertDialog.Root open={props.open} onOpenChange={(open) => !open && !busy && cancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-black/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <AlertDialog.Popup className="fixed inset-x-4 top-1/2 z-50 mx-auto max-h-[calc(100dvh-2rem)] max-w-md -translate-y-1/2 overflow-y-auto rounded-2xl border border-line bg-surface p-6 text-ink shadow-lift outline-none transition duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0">
          <AlertDialog.Title className="font-semibold text-lg tracking-tight">
            Confirm that it is you
          </AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-ink-soft text-sm leading-6">
            This change would be of use to a person who found your browser open.
          </AlertDialog.Description>
          <form onSubmit={submit} noValidate className="mt-4 grid gap-4" aria-label="Confirm that it is you">
            <div aria-live="polite">
              <TextField ref={field} id={id} name="proof" required error={failure} {...fields[props.by]} />
            </div>
            <div className="flex flex-wrap justify-end gap-2">
              <AlertDialog.Close className={buttonStyle('quiet', 'medium')} disabled={busy}>
                Cancel
              </AlertDialog.Close>
              <Button type="submit" busy={busy}>
                Confirm
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
