'use client';

import { type FormEvent, useRef } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Panel } from '#ui/admin/panel.tsx';
import { When } from '#ui/admin/when.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { TextArea } from '#ui/text-area.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';
import type { Operation } from './operation.ts';

const snoozes = [
  [60, '1 hour'],
  [8 * 60, '8 hours'],
  [24 * 60, '1 day'],
  [3 * 24 * 60, '3 days'],
] as const;

/** Who takes care of an operation, until when it can wait, and what operators know of it. */
export function FollowUpPanel(props: {
  operationId: string;
  assignment: Operation['assignment'];
  escalated: boolean;
  assignees: readonly { readonly id: string; readonly email: string }[];
}) {
  const { operationId, assignment } = props;
  const trpc = useTRPC();
  const hydrated = useHydrated();
  const form = useRef<HTMLFormElement>(null);
  const assign = useCommand(trpc.operation.assign.mutationOptions());
  const snooze = useCommand(trpc.operation.snooze.mutationOptions());
  const note = useCommand(trpc.operation.note.mutationOptions({ onSuccess: () => form.current?.reset() }));
  const failure = assign.failure ?? snooze.failure ?? note.failure;

  function addNote(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get('text')).trim();
    if (text) note.run({ operationId, text });
  }

  return (
    <Panel title="Follow-up">
      <div className="grid gap-5">
        <SelectField
          id="assignee"
          label="Assigned to"
          value={assignment.assignee?.id ?? ''}
          disabled={assign.busy || !hydrated}
          options={[
            ['', 'No one'],
            ...withCurrent(props.assignees, assignment.assignee).map(({ id, email }) => [id, email] as const),
          ]}
          onChange={({ target }) => assign.run({ operationId, assignee: target.value || null })}
        />
        {props.escalated && (
          <div>
            <p className="mb-2 font-medium text-sm">Snooze</p>
            {assignment.snoozedUntil ? (
              <div className="flex flex-wrap items-center gap-3">
                <p className="text-ink-soft">
                  Out of the queue until <When at={assignment.snoozedUntil} />.
                </p>
                <Button
                  tone="secondary"
                  size="small"
                  busy={snooze.busy}
                  onClick={() => snooze.run({ operationId, minutes: 0 })}
                >
                  Bring it back
                </Button>
              </div>
            ) : (
              <div className="flex flex-wrap gap-2">
                {snoozes.map(([minutes, label]) => (
                  <Button
                    key={minutes}
                    tone="secondary"
                    size="small"
                    busy={snooze.busy}
                    aria-label={`Snooze for ${label}`}
                    onClick={() => snooze.run({ operationId, minutes })}
                  >
                    {label}
                  </Button>
                ))}
              </div>
            )}
          </div>
        )}
        <form ref={form} onSubmit={addNote} aria-label="Note" className="grid gap-3">
          <TextArea
            id="note"
            name="text"
            label="Note"
            hint="Kept in the audit log. Every member of the shop can read it."
            rows={2}
            maxLength={1000}
          />
          <Button type="submit" tone="secondary" size="small" busy={note.busy} className="justify-self-start">
            Add note
          </Button>
        </form>
        {failure && <InlineError>{failure}</InlineError>}
        <p role="status" className="sr-only">
          {note.done && 'The note was added.'}
          {assign.done && 'The assignment was changed.'}
        </p>
      </div>
    </Panel>
  );
}

/** A person who left the shop stays assigned until another one is chosen. */
function withCurrent<Person extends { readonly id: string }>(
  people: readonly Person[],
  current: Person | null,
): readonly Person[] {
  return !current || people.some(({ id }) => id === current.id) ? people : [...people, current];
}
