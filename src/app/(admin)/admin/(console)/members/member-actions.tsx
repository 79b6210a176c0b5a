'use client';

import { useConfirmedAction } from '#app/(admin)/admin/use-confirmed-action.tsx';
import { api } from '#app/trpc/client.ts';
import { Confirm } from '#ui/admin/confirm.tsx';
import { type RoleName, roleOptions } from '#ui/admin/role-copy.ts';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { useHydrated } from '#ui/use-hydrated.ts';

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
  const { busy, failure, run, confirmation } = useConfirmedAction(props);
  const hydrated = useHydrated();
  if (props.isLastOwner) {
    return <p className="max-w-[34ch] text-ink-soft text-sm">Owner. A shop needs at least one owner.</p>;
  }
  return (
    <div className="sm:max-w-80">
      <div className="flex flex-wrap items-center gap-2 sm:justify-end">
        <SelectField
          id={`role-${id}`}
          label={`Role of ${name}`}
          quiet
          className="w-36"
          value={role}
          disabled={busy || !hydrated}
          options={roleOptions}
          onChange={({ target }) => {
            // Read now: when the request is sent, the field shows the present role again.
            const wanted = target.value as RoleName;
            void run(() => api.people.changeRole.mutate({ id, role: wanted }));
          }}
        />
        <Confirm
          action={props.isMe ? 'Leave' : 'Remove'}
          label={props.isMe ? 'Leave this shop' : `Remove ${name}`}
          question={props.isMe ? 'You lose access immediately.' : `${name} loses access immediately.`}
          yes={props.isMe ? 'Yes, leave' : 'Yes, remove'}
          no={props.isMe ? 'Stay' : 'Keep them'}
          busy={busy}
          onYes={() => run(() => api.people.remove.mutate({ id }))}
        />
      </div>
      {failure && (
        <div className="mt-2">
          <InlineError>{failure}</InlineError>
        </div>
      )}
      {confirmation}
    </div>
  );
}
