import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  type InvitationSettings,
  invite,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from '#console/members/invitations.ts';
import { changeRole, listMembers, type MemberChange, removeMember } from '#console/members/members.ts';
import { roles } from '#console/members/membership.ts';
import type { Env } from '#server/env.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import type { Services } from '#server/services.ts';
import { confirmedOwnerProcedure, memberProcedure, ownerProcedure, router } from '../init.ts';

// Rows of people have ids of better-auth's making, not all of them UUIDs.
const byId = z.object({ id: z.string().min(1).max(64) });
const role = z.enum(roles);

/** The signed-in member, the other members, and invitations. */
export const peopleRouter = router({
  me: memberProcedure.query(({ ctx: { member } }) => {
    // For what the page offers; whether an approval is early is decided by the database's clock.
    const waits = member.approvesFrom !== null && Date.parse(member.approvesFrom) > Date.now();
    return { ...member, approvesFrom: waits ? member.approvesFrom : null };
  }),

  members: memberProcedure.query(({ ctx }) => listMembers(ctx.services.db, ctx.member.tenantId)),

  changeRole: confirmedOwnerProcedure.input(byId.extend({ role })).mutation(async ({ ctx, input }) => {
    requireDone(await changeRole(ctx.services.db, ctx.member, input.id, input.role));
  }),

  remove: confirmedOwnerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    requireDone(await removeMember(ctx.services.db, ctx.member, input.id));
  }),

  invitations: ownerProcedure.query(({ ctx }) => listInvitations(ctx.services.db, ctx.member.tenantId)),

  invite: confirmedOwnerProcedure
    .input(z.object({ email: z.email('Enter an e-mail address, such as ada@example.com.').max(254), role }))
    .mutation(async ({ ctx, input }) => {
      const { db, settings } = ctx.services;
      await countInvitation(ctx.services, ctx.member.tenantId);
      const result = await invite(db, ctx.member, invitationSettings(settings), input);
      if (result.kind === 'invited') return { id: result.id };
      await createRateLimitStorage(db).giveBack(limitKeyOf(ctx.member.tenantId));
      throw new TRPCError({
        code: 'CONFLICT',
        message:
          result.kind === 'already_member'
            ? 'This person is a member already; change their role instead.'
            : 'This address has an open invitation; send it again, or revoke it first.',
      });
    }),

  resendInvitation: confirmedOwnerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { db, settings } = ctx.services;
    await countInvitation(ctx.services, ctx.member.tenantId);
    if (await resendInvitation(db, ctx.member, invitationSettings(settings), input.id)) return;
    await createRateLimitStorage(db).giveBack(limitKeyOf(ctx.member.tenantId));
    throw noSuch('open invitation');
  }),

  revokeInvitation: ownerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    if (!(await revokeInvitation(ctx.services.db, ctx.member, input.id))) throw noSuch('open invitation');
  }),
});

/** A shop invites its staff in one sitting. The e-mails go to any address, in the name of the installation. */
const invitationLimit = { window: 30 * 60, max: 30 };

const limitKeyOf = (tenantId: string) => `invite tenant ${tenantId}`;

async function countInvitation({ db }: Pick<Services, 'db'>, tenantId: string): Promise<void> {
  if ((await createRateLimitStorage(db).consume(limitKeyOf(tenantId), invitationLimit)).allowed) return;
  const message =
    'This shop has sent many invitations in the last half hour. Nothing was sent: try again later.';
  throw new TRPCError({ code: 'TOO_MANY_REQUESTS', message });
}

function invitationSettings({ PUBLIC_URL, SMTP_URL }: Env): InvitationSettings {
  return { publicUrl: PUBLIC_URL, delivery: SMTP_URL === undefined ? 'shown' : 'mailed' };
}

function requireDone(change: MemberChange): void {
  switch (change.kind) {
    case 'done':
      return;
    case 'no_such_member':
      throw noSuch('member');
    case 'last_owner':
      throw new TRPCError({
        code: 'CONFLICT',
        message: 'This is the last owner. Make another member an owner first.',
      });
  }
}

/** The same error for another tenant's row as for one that does not exist. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
