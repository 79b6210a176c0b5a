'use client';

import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Confirm } from '#ui/admin/confirm.tsx';
import { type RoleName, roleOptions } from '#ui/admin/role-copy.ts';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';

/** As wide in every row: the roles are below each other, also where the buttons beside them have other texts. */
const column = 'sm:w-62 sm:shrink-0';

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
  if (props.isLastOwner) {
    return <p className={`${column} text-ink-soft text-sm`}>Owner. A shop needs at least one owner.</p>;
  }
  return (
    <div className={column}>
      <div className="flex flex-wrap items-center gap-2">
        <SelectField
          id={`role-${id}`}
          label={`Role of ${name}`}
          quiet
          className="w-36"
          value={role}
          disabled={busy || !hydrated}
          options={roleOptions}
          onChange={({ target }) => change.run({ id, role: target.value as RoleName })}
        />
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
