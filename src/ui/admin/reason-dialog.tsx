'use client';

import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { type ButtonSize, type ButtonTone, buttonStyle } from '../button-style.ts';
import { InlineError, Notice } from '../notice.tsx';
import { useSlow } from '../use-slow.ts';
import { failureCopy } from './failure-copy.ts';

/** Longer than the server takes as a rule. After that the person may leave: the connection may be silent for minutes. */
const lateAfterMs = 8_000;

/**
 * An action that concerns money takes two clicks: the dialog shows the consequence and asks for a reason. Escape and
 * Cancel change nothing. `onConfirm` returns an error message, if there is one; then the dialog stays. While an answer is late
 * the dialog can be left, and the request goes on: sent again it is the same one, so nothing is sent until it has ended.
 */
export function ReasonDialog(props: {
  action: string;
  tone?: ButtonTone;
  size?: ButtonSize;
  title: string;
  /** What the action does, with the amount. */
  consequence: ReactNode;
  children?: ReactNode;
  confirm: string;
  /** Undefined: no reason is asked for. */
  reasonLabel?: string;
  reasonOptional?: boolean;
  /** For a caller that keeps what it shows as it is, while the page around the dialog changes. */
  onOpen?: () => void;
  onConfirm: (reason: string) => Promise<string | undefined>;
  /** What is true while the answer is late. */
  late?: string;
}) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [open, setOpen] = useState(false);
  const [reason, setReason] = useState('');
  const [missing, setMissing] = useState(false);
  const sending = useMutation({
    mutationFn: props.onConfirm,
    onSuccess: (problem) => {
      if (problem) return;
      setOpen(false);
      setReason('');
    },
  });
  const busy = sending.isPending;
  const late = useSlow(busy, lateAfterMs);
  const failure = missing
    ? 'Please give a short reason. It is kept with the decision.'
    : (sending.data ?? (sending.isError ? failureCopy(sending.error) : undefined));

  function submit(event: FormEvent) {
    event.preventDefault();
    if (busy) return;
    const isMissing = Boolean(props.reasonLabel) && !props.reasonOptional && reason.trim().length < 5;
    setMissing(isMissing);
    if (isMissing) field.current?.focus();
    else sending.mutate(reason.trim());
  }

  function show(next: boolean) {
    if (busy && !late) return;
    setOpen(next);
    if (busy) return;
    if (next) props.onOpen?.();
    setMissing(false);
    sending.reset();
  }

  return (
    <AlertDialog.Root open={open} onOpenChange={show}>
      <AlertDialog.Trigger render={<Button tone={props.tone ?? 'secondary'} size={props.size ?? 'small'} />}>
        {props.action}
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-40 bg-black/45 transition-opacity duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <AlertDialog.Popup
          initialFocus={props.reasonLabel ? field : undefined}
          className="fixed inset-x-4 top-1/2 z-50 mx-auto max-h-[calc(100dvh-2rem)] max-w-lg -translate-y-1/2 overflow-y-auto rounded-2xl border border-line bg-surface p-6 text-ink shadow-lift outline-none transition duration-150 data-ending-style:opacity-0 data-starting-style:opacity-0"
        >
          <AlertDialog.Title className="font-semibold text-lg tracking-tight">
            {props.title}
          </AlertDialog.Title>
          <AlertDialog.Description render={<div />} className="mt-2 text-ink-soft text-sm leading-6">
            {props.consequence}
          </AlertDialog.Description>
          <form onSubmit={submit} noValidate className="mt-4 grid gap-4">
            {props.children}
            {props.reasonLabel && (
              <div>
                <label htmlFor={id} className="mb-2 block font-medium text-sm">
                  {props.reasonLabel}
                </label>
                <textarea
                  ref={field}
                  id={id}
                  rows={3}
                  maxLength={1000}
                  value={reason}
                  onChange={(event) => setReason(event.target.value)}
                  aria-invalid={missing ? true : undefined}
                  aria-describedby={failure ? `${id}-failure` : undefined}
                  className="block w-full rounded-xl border border-line-strong bg-surface px-4 py-3 text-base focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-danger"
                />
              </div>
            )}
            {failure && (
              <div id={`${id}-failure`}>
                <InlineError>{failure}</InlineError>
              </div>
            )}
            <div role="status" className="empty:hidden">
              {late && (
                <Notice tone="unknown" title="The answer is late.">
                  {props.late ?? 'It may have been done.'} You can leave: this page shows what became of it
                  when that is known.
                </Notice>
              )}
            </div>
            <div className="flex flex-wrap justify-end gap-2">
              <AlertDialog.Close className={buttonStyle('quiet', 'medium')} disabled={busy && !late}>
                {late ? 'Leave it' : 'Cancel'}
              </AlertDialog.Close>
              <Button type="submit" busy={busy}>
                {props.confirm}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
