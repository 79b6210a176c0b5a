import { randomUUID } from 'node:crypto';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { createSandboxLedger, runDoubleClick } from '#lab/index.ts';
import { createPaymentKind } from '#payments/index.ts';
import { publicProcedure, router } from '../init.ts';

/** The lab charges cards on purpose, twice in one lane: it exists only where the provider is the sandbox. */
const labProcedure = publicProcedure.use(({ ctx, next }) => {
  if (ctx.services.settings.provider !== 'sandbox') {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'The lab runs against the sandbox only.' });
  }
  return next();
});

export const labRouter = router({
  doubleClick: labProcedure
    .input(z.object({ clicks: z.int().min(2).max(10).default(2) }))
    .mutation(async ({ ctx, input }) => {
      const { db, engine, provider, settings } = ctx.services;
      // A tenant of its own: what the lab breaks on purpose is in nobody's console.
      const tenant = await db.organization.upsert({
        where: { slug: 'lab' },
        update: {},
        create: { id: randomUUID(), slug: 'lab', name: 'The lab' },
      });
      const ledger = createSandboxLedger(settings.SANDBOX_URL);
      const pay = createPaymentKind;
      return runDoubleClick({ engine, provider, ledger, pay, tenantId: tenant.id }, input.clicks);
    }),
});
