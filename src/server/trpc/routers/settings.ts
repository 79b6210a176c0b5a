import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import { changeTenantSettings, limitsOf, readTenantSettings } from '#console/settings/tenant-settings.ts';
import { findEndpoint, setWebhookEndpoint } from '#payments/outbox/console.ts';
import { leaseLimits } from '#server/env.ts';
import { webhookAddresses } from '#server/webhook-addresses.ts';
import { memberProcedure, ownerProcedure, router } from '../init.ts';

const number = z.int('Enter a whole number.').nullable();

/** What a shop decides for itself. Everybody who works here may look; owners decide. */
export const settingsRouter = router({
  get: memberProcedure.query(async ({ ctx }) => ({
    ...(await readTenantSettings(ctx.services.db, ctx.member.tenantId)),
    limits: limitsOf(leaseLimits(ctx.services.settings)),
    providerTimeoutMs: ctx.services.settings.PROVIDER_TIMEOUT_MS,
  })),

  /** What is wrong is answered, not thrown: a form shows it beside the field. */
  change: ownerProcedure
    .input(
      z.object({
        leaseMs: number,
        replayHours: number,
        bodyHours: number,
        metadataHours: number,
        fourEyes: z.boolean(),
        reason: z.string().trim().min(1).max(500).optional(),
      }),
    )
    .mutation(({ ctx, input: { reason, ...choice } }) => {
      const { db, settings } = ctx.services;
      return changeTenantSettings(db, ctx.member, limitsOf(leaseLimits(settings)), choice, reason);
    }),

  webhookEndpoint: memberProcedure.query(async ({ ctx }) => {
    const endpoint = await findEndpoint(ctx.services.db, ctx.member.tenantId);
    return endpoint && { url: endpoint.url, createdAt: endpoint.createdAt.toISOString() };
  }),

  /** The secret is in this answer and nowhere else. */
  setWebhookEndpoint: ownerProcedure
    .input(z.object({ url: z.url('Enter an address such as https://shop.example/hooks.').max(2_000) }))
    .mutation(async ({ ctx, input }) => {
      const { db, settings } = ctx.services;
      const { member } = ctx;
      const result = await setWebhookEndpoint(db, member.tenantId, input.url, webhookAddresses(settings));
      if (result.kind === 'url_refused') {
        throw new TRPCError({
          code: 'BAD_REQUEST',
          message: 'The address must be a public one that starts with https://.',
        });
      }
      await writeAuditEntry(db, member, {
        action: 'webhook_endpoint.set',
        subject: { type: 'webhook_endpoint', id: result.id },
        details: { url: result.url },
      });
      return { url: result.url, secret: result.secret };
    }),
});
