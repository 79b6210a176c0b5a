'use client';

import { useRef, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Confirm } from '#ui/admin/confirm.tsx';
import { type RoleName, roleCopy, roleOptions } from '#ui/admin/role-copy.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';

/** As wide in every row: the roles are below each other, also where the buttons beside them have other texts. */
const column = 'sm:w-62 sm:shrink-0';

/** One key pressed on the field chooses another role, so it takes a second step to change it. */
export function MemberActions(props: {
  id: string;
  name: string;
  role: RoleName;
  isMe: boolean;
  isLastOwner: boolean;
  /** Whether the owner who is signed in has one. */
  secondFactor: boolean;
}) {
  const { id, name, role } = props;
  const trpc = useTRPC().people;
  const change = useConfirmedCommand(props, trpc.changeRole.mutationOptions());
  const remove = useConfirmedCommand(props, trpc.remove.mutationOptions());
  const busy = change.busy || remove.busy;
  const failure = change.failure ?? remove.failure;
  const hydrated = useHydrated();
  const [chosen, setChosen] = useState(role);
  const field = useRef<HTMLDivElement>(null);
  const changed = chosen !== role && !(change.done && change.input?.role === chosen);

  /** The buttons go, and the focus stays in the row. */
  function backToField() {
    field.current?.querySelector('select')?.focus();
  }

  if (props.isLastOwner) {
    return <p className={`${column} text-ink-soft text-sm`}>Owner. A shop needs at least one owner.</p>;
  }
  return (
    <div className={column}>
      <div className="flex flex-wrap items-center gap-2">
        <div ref={field} className="w-36">
          <SelectField
            id={`role-${id}`}
            label={`Role of ${name}`}
            quiet
            value={chosen}
            disabled={!hydrated}
            aria-disabled={busy || undefined}
            options={roleOptions}
            onChange={({ target }) => !busy && setChosen(target.value as RoleName)}
          />
        </div>
        <Confirm
          action={props.isMe ? 'Leave' : 'Remove'}
          label={props.isMe ? 'Leave this shop' : `Remove ${name}`}
          question={props.isMe ? 'You lose access immediately.' : `${name} loses access immediately.`}
          yes={props.isMe ? 'Yes, leave' : 'Yes, remove'}
          no={props.isMe ? 'Stay' : 'Keep them'}
          busy={busy}
          onYes={() => remove.run({ id })}
        />
      </div>
      {changed && (
        <div className="mt-2 flex flex-wrap gap-2">
          <Button
            tone="secondary"
            size="small"
            aria-label={`Change the role of ${name} to ${roleCopy[chosen].label}`}
            busy={change.busy}
            onClick={() => {
              backToField();
              change.run({ id, role: chosen });
            }}
          >
            Change role
          </Button>
          <Button
            tone="quiet"
            size="small"
            onClick={() => {
              backToField();
              change.reset();
              setChosen(role);
            }}
          >
            Keep it
          </Button>
        </div>
      )}
      <p role="status" className="mt-1 text-ok text-sm empty:hidden">
        {change.done && !changed && `${roleCopy[chosen].label} from now on.`}
      </p>
      {failure && (
        <div className="mt-2">
          <InlineError>{failure}</InlineError>
        </div>
      )}
      {change.confirmation}
      {remove.confirmation}
    </div>
  );
}
