import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { createApiKey, listApiKeys, revokeApiKey } from '#console/settings/api-keys.ts';
import { memberProcedure, ownerProcedure, router } from '../init.ts';

/** Keys for the HTTP API. Names and prefixes are for everybody who works here; the keys themselves for nobody. */
export const apiKeysRouter = router({
  list: memberProcedure.query(({ ctx }) => listApiKeys(ctx.services.db, ctx.member.tenantId)),

  /** The token is in this answer and nowhere else. */
  create: ownerProcedure
    .input(z.object({ name: z.string().trim().min(1, 'Give the key a name.').max(60) }))
    .mutation(({ ctx, input }) => createApiKey(ctx.services.db, ctx.member, input.name)),

  revoke: ownerProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    if (await revokeApiKey(ctx.services.db, ctx.member, input.id)) return;
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such live key.' });
  }),
});
