import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { apiKeyScopes, defaultExpiryDays } from '#console/settings/api-key-scopes.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '#console/settings/api-keys.ts';
import { confirmedOwnerProcedure, memberProcedure, ownerProcedure, router } from '../init.ts';

/** Keys for the HTTP API. All members see names and prefixes; the keys themselves are not stored. */
export const apiKeysRouter = router({
  list: memberProcedure.query(({ ctx }) => listApiKeys(ctx.services.db, ctx.member.tenantId)),

  /** Only this response contains the token. */
  create: confirmedOwnerProcedure
    .input(
      z.object({
        name: z.string().trim().min(1, 'Give the key a name.').max(60),
        scopes: z.array(z.enum(apiKeyScopes)).min(1, 'Choose what the key is for.').default(['read', 'pay']),
        expiresInDays: z.int().min(1).max(3_650).nullable().default(defaultExpiryDays),
      }),
    )
    .mutation(({ ctx, input }) => createApiKey(ctx.services.db, ctx.member, input)),

  revoke: ownerProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    if (await revokeApiKey(ctx.services.db, ctx.member, input.id)) return;
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such live key.' });
  }),
});
