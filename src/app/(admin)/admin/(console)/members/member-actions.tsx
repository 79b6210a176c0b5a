'use client';

import { useAction } from '#app/(admin)/admin/use-action.ts';
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
}) {
  const { id, name, role } = props;
  const { busy, failure, run } = useAction();
  const hydrated = useHydrated();
  if (props.isLastOwner) {
    return (
      <p className="max-w-[34ch] text-ink-soft text-sm">Owner. The last one stays: a shop keeps an owner.</p>
    );
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
          onChange={({ target }) =>
            run(() => api.people.changeRole.mutate({ id, role: target.value as RoleName }))
          }
        />
        <Confirm
          action={props.isMe ? 'Leave' : 'Remove'}
          label={props.isMe ? 'Leave this shop' : `Remove ${name}`}
          question={props.isMe ? 'You lose access at once.' : `${name} loses access with their next click.`}
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
    </div>
  );
}
