import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { invite, listInvitations, resendInvitation, revokeInvitation } from '#console/members/invitations.ts';
import { changeRole, listMembers, type MemberChange, removeMember } from '#console/members/members.ts';
import { roles } from '#console/members/membership.ts';
import { memberProcedure, ownerProcedure, router } from '../init.ts';

// Rows of people have ids of better-auth's making, not all of them UUIDs.
const byId = z.object({ id: z.string().min(1).max(64) });
const role = z.enum(roles);

/** The signed-in member, the other members, and invitations. */
export const peopleRouter = router({
  me: memberProcedure.query(({ ctx }) => ctx.member),

  members: memberProcedure.query(({ ctx }) => listMembers(ctx.services.db, ctx.member.tenantId)),

  changeRole: ownerProcedure.input(byId.extend({ role })).mutation(async ({ ctx, input }) => {
    requireDone(await changeRole(ctx.services.db, ctx.member, input.id, input.role));
  }),

  remove: ownerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    requireDone(await removeMember(ctx.services.db, ctx.member, input.id));
  }),

  invitations: ownerProcedure.query(({ ctx }) => listInvitations(ctx.services.db, ctx.member.tenantId)),

  invite: ownerProcedure
    .input(z.object({ email: z.email('Enter an e-mail address, such as ada@example.com.').max(254), role }))
    .mutation(async ({ ctx, input }) => {
      const { db, settings } = ctx.services;
      const result = await invite(db, ctx.member, settings.PUBLIC_URL, input);
      if (result.kind === 'invited') return { id: result.id };
      throw new TRPCError({
        code: 'CONFLICT',
        message:
          result.kind === 'already_member'
            ? 'This person is a member already; change their role instead.'
            : 'This address has an open invitation; send it again, or revoke it first.',
      });
    }),

  resendInvitation: ownerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    const { db, settings } = ctx.services;
    if (!(await resendInvitation(db, ctx.member, settings.PUBLIC_URL, input.id)))
      throw noSuch('open invitation');
  }),

  revokeInvitation: ownerProcedure.input(byId).mutation(async ({ ctx, input }) => {
    if (!(await revokeInvitation(ctx.services.db, ctx.member, input.id))) throw noSuch('open invitation');
  }),
});

function requireDone(change: MemberChange): void {
  switch (change.kind) {
    case 'done':
      return;
    case 'no_such_member':
      throw noSuch('member');
    case 'last_owner':
      throw new TRPCError({
        code: 'CONFLICT',
        message: 'This is the last owner. Make somebody else an owner first.',
      });
  }
}

/** The same error for another tenant's row as for one that does not exist. */
function noSuch(thing: string): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: `There is no such ${thing}.` });
}
