import { TRPCError } from '@trpc/server';
import { isAPIError } from 'better-auth/api';
import { z } from 'zod';
import {
  type Accepted,
  acceptAsNewcomer,
  acceptAsPerson,
  findInvitation,
} from '#console/members/accept-invitation.ts';
import { listMemberships } from '#console/members/membership.ts';
import { endOtherSessions, endSession, listSessions } from '#console/members/own-account.ts';
import { passwordLength } from '#server/auth/password-length.ts';
import { PasswordsBusy } from '#server/auth/passwords.ts';
import { recordConfirmation } from '#server/auth/session-state.ts';
import { limitedNetworkOf } from '#server/incoming/client-address.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import { personProcedure, publicProcedure, router } from '../init.ts';

const byToken = z.object({ token: z.string().regex(/^[\w-]{43}$/) });

/** Right proofs as well: one password is compared at a time, for the sign-ins of all shops. */
const proofLimit = { window: 60, max: 10 };

/** The caller’s own account and sessions, and the invitation that a token belongs to. */
export const accountRouter = router({
  /** The token authorises: it is in the e-mail to the invited person only. */
  invitation: publicProcedure.input(byToken).query(async ({ ctx, input }) => {
    const { db, visitors } = ctx.services;
    // Anyone can make up tokens.
    const network = limitedNetworkOf(ctx.clientAddress);
    const found = await visitors.run(network, () => findInvitation(db, input.token));
    if (!found) throw invalidInvitation();
    return found;
  }),

  accept: publicProcedure
    .input(
      byToken.extend({
        name: z.string().trim().min(1, 'Enter your name.').max(100),
        password: z
          .string()
          .min(passwordLength.min, `The password needs at least ${passwordLength.min} characters.`)
          .max(passwordLength.max, `The password may have at most ${passwordLength.max} characters.`),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const { db, auth } = ctx.services;
      const { passwords } = await auth();
      const accepted = await acceptAsNewcomer(db, input.token, input, passwords.hash).catch(
        (error: unknown) => {
          if (!(error instanceof PasswordsBusy)) throw error;
          throw new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Too busy at the moment. Try again.' });
        },
      );
      return requireJoined(accepted);
    }),

  join: personProcedure.input(byToken).mutation(async ({ ctx, input }) => {
    const { db } = ctx.services;
    const joined = requireJoined(await acceptAsPerson(db, input.token, ctx.person));
    await setActiveShop(db, ctx.person.sessionId, joined.tenantId);
    return joined;
  }),

  me: personProcedure.query(async ({ ctx }) => {
    const { userId, email, name, secondFactor } = ctx.person;
    const shops = await listMemberships(ctx.services.db, userId);
    return { userId, email, name, secondFactor, shops };
  }),

  /** The person proves who they are: by a code where a second factor is on, otherwise by the password. */
  confirm: personProcedure
    .input(z.object({ proof: z.string().min(1, 'Enter it to go on.').max(passwordLength.max) }))
    .mutation(async ({ ctx, input: { proof } }) => {
      const { db } = ctx.services;
      const { api } = await ctx.services.auth();
      const { headers, person } = ctx;
      const { allowed } = await createRateLimitStorage(db).consume(`confirm ${person.userId}`, proofLimit);
      if (!allowed) {
        const message = 'You proved who you are many times in the last minute. Wait, then try again.';
        throw new TRPCError({ code: 'TOO_MANY_REQUESTS', message });
      }
      try {
        if (person.secondFactor) await api.verifyTOTP({ body: { code: proof }, headers });
        else await api.verifyPassword({ body: { password: proof }, headers });
      } catch (error) {
        throw isAPIError(error) ? refusedProof(error, person.secondFactor) : error;
      }
      await recordConfirmation(db, person.sessionId);
    }),

  /** Sent while the person uses the page: a session without it ends. The procedure itself records it. */
  active: personProcedure.mutation(() => undefined),

  switchShop: personProcedure
    .input(z.object({ tenantId: z.string().max(64) }))
    .mutation(async ({ ctx, input }) => {
      const { db } = ctx.services;
      const shops = await listMemberships(db, ctx.person.userId);
      if (!shops.some(({ tenantId }) => tenantId === input.tenantId)) {
        throw new TRPCError({ code: 'NOT_FOUND', message: 'You do not work for such a shop.' });
      }
      await setActiveShop(db, ctx.person.sessionId, input.tenantId);
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

async function setActiveShop(
  db: Parameters<typeof listMemberships>[0],
  sessionId: string,
  tenantId: string,
): Promise<void> {
  await db.session.update({ where: { id: sessionId }, data: { activeOrganizationId: tenantId } });
}

function refusedProof({ statusCode }: { readonly statusCode: number }, code: boolean): TRPCError {
  if (statusCode === 429) {
    return new TRPCError({
      code: 'TOO_MANY_REQUESTS',
      message: 'Too many wrong tries. Wait, then try again.',
    });
  }
  if (statusCode === 503) {
    return new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Too busy at the moment. Try again.' });
  }
  const message = code ? 'This code is wrong, or was used before.' : 'This password is wrong.';
  return new TRPCError({ code: 'FORBIDDEN', message });
}

function requireJoined(accepted: Accepted): { tenantId: string; email: string } {
  switch (accepted.kind) {
    case 'joined':
      return { tenantId: accepted.tenantId, email: accepted.email };
    case 'no_such_invitation':
      throw invalidInvitation();
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

function invalidInvitation(): TRPCError {
  return new TRPCError({
    code: 'NOT_FOUND',
    message: 'This invitation is over: it was used, taken back, or has expired. Ask for a new one.',
  });
}
