import { z } from 'zod';
import { changeShopContact, readShopContact } from '#console/settings/shop-contact.ts';
import { changeTenantSettings, limitsOf, readTenantSettings } from '#console/settings/tenant-settings.ts';
import { defaultIdleMinutes } from '#server/auth/session-state.ts';
import { type Env, leaseLimits } from '#server/env.ts';
import {
  confirmedOwnerProcedure,
  memberProcedure,
  ownerProcedure,
  requireConfirmed,
  router,
} from '../init.ts';
import { writtenText } from '../written-text.ts';

const number = z.int('Enter a whole number.').nullable();

/** The settings of a shop. All members see them; owners change them. */
export const settingsRouter = router({
  get: memberProcedure.query(async ({ ctx }) => ({
    ...(await readTenantSettings(ctx.services.db, ctx.member.tenantId)),
    contactEmail: await readShopContact(ctx.services.db, ctx.member.tenantId),
    limits: limitsFor(ctx.services.settings),
    providerTimeoutMs: ctx.services.settings.PROVIDER_TIMEOUT_MS,
  })),

  /** Invalid values are returned, not thrown: the form shows each message beside its field. */
  change: ownerProcedure
    .input(
      z.object({
        leaseMs: number,
        replayHours: number,
        bodyHours: number,
        metadataHours: number,
        idleMinutes: number,
        fourEyes: z.boolean(),
        secondFactor: z.boolean(),
        reason: writtenText({ min: 1, max: 500, message: 'Say why.' }).optional(),
        /** `updatedAt` of the settings that the page shows. */
        seen: z.string().max(40).nullable().optional(),
      }),
    )
    .mutation(async ({ ctx, input: { reason, seen, ...choice } }) => {
      const { db, settings } = ctx.services;
      if (choice.secondFactor && !ctx.person.secondFactor) {
        const message = 'Set up a second factor of your own first, or you could not come back.';
        return { kind: 'refused' as const, problems: [{ field: 'secondFactor' as const, message }] };
      }
      return changeTenantSettings(db, ctx.member, limitsFor(settings), choice, { reason, seen }, () =>
        requireConfirmed(ctx.person),
      );
    }),

  /** Where shoppers ask about a payment. */
  setContact: confirmedOwnerProcedure
    .input(
      z.object({ email: z.email('Enter an e-mail address such as help@shop.example.').max(254).nullable() }),
    )
    .mutation(({ ctx, input }) => changeShopContact(ctx.services.db, ctx.member, input.email)),
});

function limitsFor(settings: Env) {
  return limitsOf(leaseLimits(settings), defaultIdleMinutes);
}
