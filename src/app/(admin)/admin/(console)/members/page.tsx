import { ShieldCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { Card, PageHeading } from '#ui/admin/card.tsx';
import { roleCopy } from '#ui/admin/role-copy.ts';
import { Row, RowList } from '#ui/admin/row-list.tsx';
import { When } from '#ui/admin/when.tsx';
import { InvitationActions } from './invitation-actions.tsx';
import { InviteForm } from './invite-form.tsx';
import { MemberActions } from './member-actions.tsx';

export const metadata: Metadata = { title: 'Members' };

/** How a person became a member, which says how sure it is that the address is theirs. */
const joinedCopy = {
  administrator: 'Appointed by the administrator',
  mailed_link: 'Joined by a link in their mailbox',
  shown_link: 'Joined by a link that owners could read',
} as const;

export default async function MembersPage() {
  const api = await serverApi();
  const [me, account, members] = await signedIn(
    Promise.all([api.people.me(), api.account.me(), api.people.members()]),
  );
  const isOwner = me.role === 'owner';
  const now = Date.now();
  const invitations = isOwner ? await api.people.invitations() : [];
  const owners = members.filter(({ role }) => role === 'owner').length;
  return (
    <>
      <PageHeading title="Members">
        The members of {me.tenantName} and their roles.{' '}
        {isOwner ? 'Changes take effect immediately.' : 'Owners can change them.'}
      </PageHeading>
      <RowList label="Members">
        {members.map((member) => (
          <Row
            key={member.id}
            action={
              isOwner ? (
                <MemberActions
                  id={member.id}
                  name={member.name}
                  role={member.role}
                  isMe={member.userId === me.userId}
                  secondFactor={account.secondFactor}
                  isLastOwner={member.role === 'owner' && owners === 1}
                />
              ) : (
                <p className="text-sm">{roleCopy[member.role].label}</p>
              )
            }
          >
            <p className="font-medium">
              {member.name}
              {member.userId === me.userId && (
                <span className="ml-2 font-normal text-ink-faint text-sm">you</span>
              )}
            </p>
            <p className="break-words text-ink-soft text-sm">{member.email}</p>
            <p className="mt-1 flex flex-wrap items-center gap-x-3 text-ink-faint text-xs">
              <span>
                Since <When at={member.joinedAt} />
              </span>
              <span>{joinedCopy[member.joinedBy]}</span>
              {member.approvesFrom && Date.parse(member.approvesFrom) > now && (
                <span className="text-warn">
                  Can approve from <When at={member.approvesFrom} />
                </span>
              )}
              {member.secondFactor ? (
                <span className="inline-flex items-center gap-1 text-ok">
                  <ShieldCheck className="size-3.5" aria-hidden="true" />
                  Second factor
                </span>
              ) : (
                <span>No second factor</span>
              )}
            </p>
          </Row>
        ))}
      </RowList>
      {isOwner && (
        <Card
          id="invite"
          title="Invite a member"
          intro="They get an e-mail with a link that works once, for three days. No other person can read the link, unless there is no mail server: then owners read it in the outbox and pass it on, and it ends when one of them loses the role. A new approver can approve after a day."
        >
          <InviteForm secondFactor={account.secondFactor} />
          {invitations.length > 0 && (
            <ul aria-label="Open invitations" className="mt-6 divide-y divide-line border-line border-t">
              {invitations.map((invitation) => (
                <li
                  key={invitation.id}
                  className="flex flex-col gap-2 py-4 sm:flex-row sm:items-center sm:justify-between"
                >
                  <div className="min-w-0">
                    <p className="break-words font-medium text-sm">{invitation.email}</p>
                    <p className="text-ink-soft text-sm">
                      {roleCopy[invitation.role].label},{' '}
                      {invitation.expired ? (
                        <span className="text-warn">expired</span>
                      ) : (
                        <>
                          valid until <When at={invitation.expiresAt} />
                        </>
                      )}
                    </p>
                  </div>
                  <InvitationActions
                    id={invitation.id}
                    email={invitation.email}
                    secondFactor={account.secondFactor}
                  />
                </li>
              ))}
            </ul>
          )}
        </Card>
      )}
      <Card id="roles" title="What each role can do">
        <dl className="grid gap-x-3 text-sm sm:grid-cols-[7rem_1fr] sm:gap-y-3">
          {Object.values(roleCopy).map(({ label, may }) => (
            <div key={label} className="contents">
              <dt className="font-medium">{label}</dt>
              <dd className="text-ink-soft max-sm:mt-0.5 max-sm:mb-3">{may}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </>
  );
}
