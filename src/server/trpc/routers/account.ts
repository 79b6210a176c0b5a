import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  type Accepted,
  acceptAsNewcomer,
  acceptAsPerson,
  findInvitation,
} from '#console/members/accept-invitation.ts';
import { listMemberships } from '#console/members/membership.ts';
import { endOtherSessions, endSession, listSessions } from '#console/members/own-account.ts';
import { passwordLength } from '#server/auth.ts';
import { personProcedure, publicProcedure, router } from '../init.ts';

const byToken = z.object({ token: z.string().regex(/^[\w-]{43}$/) });

/** What is somebody's own: their account, their sessions, and the invitation in their hand. */
export const accountRouter = router({
  /** The link is what authorises: whoever holds it was written to. */
  invitation: publicProcedure.input(byToken).query(async ({ ctx, input }) => {
    const found = await findInvitation(ctx.services.db, input.token);
    if (!found) throw invitationOver();
    return found;
  }),

  accept: publicProcedure
    .input(
      byToken.extend({
        name: z.string().trim().min(1, 'Enter your name.').max(100),
        password: z
          .string()
          .min(passwordLength.least, `The password needs at least ${passwordLength.least} characters.`)
          .max(passwordLength.most, `The password may have at most ${passwordLength.most} characters.`),
      }),
    )
    .mutation(async ({ ctx, input }) =>
      requireJoined(await acceptAsNewcomer(ctx.services.db, input.token, input)),
    ),

  join: personProcedure.input(byToken).mutation(async ({ ctx, input }) => {
    const { db } = ctx.services;
    const joined = requireJoined(await acceptAsPerson(db, input.token, ctx.person));
    await lookAt(db, ctx.person.sessionId, joined.tenantId);
    return joined;
  }),

  me: personProcedure.query(async ({ ctx }) => {
    const { userId, email, name, secondFactor } = ctx.person;
    const shops = await listMemberships(ctx.services.db, userId);
    return { userId, email, name, secondFactor, shops };
  }),

  switchShop: personProcedure
    .input(z.object({ tenantId: z.string().max(64) }))
    .mutation(async ({ ctx, input }) => {
      const { db } = ctx.services;
      const shops = await listMemberships(db, ctx.person.userId);
      if (!shops.some(({ tenantId }) => tenantId === input.tenantId)) {
        throw new TRPCError({ code: 'NOT_FOUND', message: 'You do not work for such a shop.' });
      }
      await lookAt(db, ctx.person.sessionId, input.tenantId);
    }),

  sessions: personProcedure.query(({ ctx }) =>
    listSessions(ctx.services.db, ctx.person.userId, ctx.person.sessionId),
  ),

  endSession: personProcedure.input(z.object({ id: z.string().max(64) })).mutation(async ({ ctx, input }) => {
    if (await endSession(ctx.services.db, ctx.person.userId, input.id)) return;
    throw new TRPCError({ code: 'NOT_FOUND', message: 'This session has ended already.' });
  }),

  endOtherSessions: personProcedure.mutation(async ({ ctx }) => ({
    ended: await endOtherSessions(ctx.services.db, ctx.person.userId, ctx.person.sessionId),
  })),
});

async function lookAt(
  db: Parameters<typeof listMemberships>[0],
  sessionId: string,
  tenantId: string,
): Promise<void> {
  await db.session.update({ where: { id: sessionId }, data: { activeOrganizationId: tenantId } });
}

function requireJoined(accepted: Accepted): { tenantId: string; email: string } {
  switch (accepted.kind) {
    case 'joined':
      return { tenantId: accepted.tenantId, email: accepted.email };
    case 'no_such_invitation':
      throw invitationOver();
    case 'has_account':
      throw new TRPCError({
        code: 'CONFLICT',
        message: 'There is an account with this address. Sign in with it, then join.',
      });
    case 'not_yours':
      throw new TRPCError({
        code: 'FORBIDDEN',
        message: 'This invitation was written to another address. Sign in with that one to join.',
      });
  }
}

function invitationOver(): TRPCError {
  return new TRPCError({
    code: 'NOT_FOUND',
    message: 'This invitation is over: it was used, taken back, or has expired. Ask for a new one.',
  });
}
