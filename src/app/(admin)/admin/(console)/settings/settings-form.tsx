'use client';

import { type FormEvent, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Card } from '#ui/admin/card.tsx';
import { Button } from '#ui/button.tsx';
import { CheckField } from '#ui/check-field.tsx';
import { ErrorSummary, type FieldError } from '#ui/error-summary.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextArea } from '#ui/text-area.tsx';
import { TextField } from '#ui/text-field.tsx';
import { amountCopy, type NumberName, settingCopy } from './setting-copy.ts';

const names = Object.keys(settingCopy) as NumberName[];

type Settings = RouterOutputs['settings']['get'];

export function SettingsForm(
  props: Pick<Settings, 'choice' | 'limits' | 'providerTimeoutMs' | 'updatedAt'> & {
    readOnly: boolean;
    /** Whether the owner has one. */
    secondFactor: boolean;
  },
) {
  const { choice, limits, readOnly } = props;
  const [errors, setErrors] = useState<readonly FieldError[]>([]);
  const [fourEyes, setFourEyes] = useState(choice.fourEyes);
  const [message, setMessage] = useState<string>();
  // Of the values in the fields, which stay as they are when the page is rendered again.
  const [seen, setSeen] = useState(props.updatedAt);
  const [outdated, setOutdated] = useState(false);
  const errorOf = (field: string) => errors.find((error) => error.field === field)?.message;
  const needsReason = choice.fourEyes && !fourEyes;
  const change = useTRPC().settings.change.mutationOptions({
    onSuccess: (saved) => {
      if (saved.kind === 'refused') return setErrors(saved.problems);
      if (saved.kind === 'outdated') return setOutdated(true);
      if (saved.kind === 'changed') setSeen(saved.updatedAt);
      setMessage(
        saved.kind === 'changed' ? 'Saved. It takes effect within five seconds.' : 'Nothing was changed.',
      );
    },
  });
  const { busy, failure, run, confirmation } = useConfirmedCommand(props, change);

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    setMessage(undefined);
    setOutdated(false);
    const data = new FormData(event.currentTarget);
    const read = readNumbers(data);
    setErrors(read.errors);
    if (read.errors.length > 0) return;
    const reason = String(data.get('reason') ?? '').trim();
    const secondFactor = data.has('secondFactor');
    run({ ...read.numbers, fourEyes, secondFactor, seen, ...(reason && { reason }) });
  }

  return (
    <form method="post" noValidate onSubmit={save} aria-label="Settings">
      <div className="mt-6 empty:hidden">
        <ErrorSummary errors={errors} />
      </div>
      <Card
        id="times"
        title="Times"
        intro={`Leave a field empty for the default. The payment timeout must allow two calls to the provider (${props.providerTimeoutMs / 1_000} seconds each) and one more second.`}
      >
        <div className="grid gap-x-8 gap-y-7 lg:grid-cols-2">
          {names.map((name) => {
            const { label, unit, factor, meaning, effect } = settingCopy[name];
            const { fallback, min, max } = limits[name];
            return (
              <div key={name}>
                <TextField
                  id={name}
                  name={name}
                  label={`${label} (${unit})`}
                  inputMode="numeric"
                  autoComplete="off"
                  readOnly={readOnly}
                  defaultValue={choice[name] === null ? '' : String(choice[name] / factor)}
                  placeholder={String(fallback / factor)}
                  error={errorOf(name)}
                  hint={`Default: ${amountCopy(name, fallback)}. From ${Math.ceil(min / factor)} to ${Math.floor(max / factor)}.`}
                />
                <p className="mt-2 max-w-[60ch] text-ink-soft text-sm leading-6">
                  {meaning} <span className="text-ink-faint">Affects: {effect}</span>
                </p>
              </div>
            );
          })}
        </div>
      </Card>
      <Card id="eyes" title="Four eyes">
        <CheckField
          id="fourEyes"
          name="fourEyes"
          label="Decisions the provider could not confirm need a second person"
          hint="One person proposes how a payment ended, and another one with the approver role approves it. On by default. A change affects proposals from now on."
          checked={fourEyes}
          disabled={readOnly}
          onChange={({ target }) => setFourEyes(target.checked)}
        />
        {needsReason && (
          <div className="mt-4 max-w-xl">
            <TextArea
              id="reason"
              name="reason"
              label="Why may one person alone decide from now on?"
              hint="Kept in the audit log, with your name."
              maxLength={500}
              error={errorOf('reason')}
            />
          </div>
        )}
      </Card>
      <Card id="sign-in" title="Signing in">
        <CheckField
          id="secondFactor"
          name="secondFactor"
          label="Every member needs a second factor"
          hint="Members without one are asked to set it up before they see anything of the shop. You need one yourself first."
          defaultChecked={choice.secondFactor}
          disabled={readOnly}
          aria-invalid={errorOf('secondFactor') ? true : undefined}
        />
      </Card>
      {confirmation}
      {!readOnly && (
        <div className="mt-6 flex flex-wrap items-center gap-4">
          <Button type="submit" busy={busy}>
            Save settings
          </Button>
          {failure && <InlineError>{failure}</InlineError>}
          {outdated && (
            <InlineError>
              Another owner changed the settings after you opened this page. Nothing was saved: reload the
              page.
            </InlineError>
          )}
          <p role="status" className="text-ok text-sm empty:hidden">
            {message}
          </p>
        </div>
      )}
    </form>
  );
}

function readNumbers(data: FormData) {
  const errors: FieldError[] = [];
  const numbers = Object.fromEntries(names.map((name) => [name, null])) as Record<NumberName, number | null>;
  for (const name of names) {
    const typed = String(data.get(name) ?? '').trim();
    if (typed === '') continue;
    const { label, factor, unit } = settingCopy[name];
    if (/^\d{1,9}$/.test(typed)) numbers[name] = Number(typed) * factor;
    else errors.push({ field: name, message: `${label}: enter a whole number of ${unit}, or nothing.` });
  }
  return { numbers, errors };
}
