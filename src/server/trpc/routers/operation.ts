import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { claims } from '#reconciliation/index.ts';
import { compareSides } from '#console/operation-page/compare-sides.ts';
import { findOperation } from '#console/operation-page/find-operation.ts';
import { needsFourEyes } from '#console/resolution/four-eyes.ts';
import { operationMoney } from '#console/operation-page/operation-money.ts';
import { reconcileByPerson } from '#console/resolution/reconcile-operation.ts';
import { resolveOperation } from '#console/resolution/resolve.ts';
import { watchOperation } from '#console/operation-page/watch-operation.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';

const byId = z.object({ operationId: z.uuid() });
/** Whoever reads the log a year later has only this. */
const reason = z.string().trim().min(5, 'Say why, in a few words.').max(1_000);

/** One operation: what is known of it, and what a person may do about it. */
export const operationRouter = router({
  get: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findOperation(ctx.house.db, ctx.member.tenantId, input.operationId);
    if (!found) throw noSuchOperation();
    return found;
  }),

  /** Asks the provider now, touching nothing: its side beside ours, and what could be claimed on that. */
  look: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const { db, look } = ctx.house;
    const { tenantId } = ctx.member;
    await requireOwn(ctx, input.operationId);
    const [about, seen, fourEyes] = await Promise.all([
      operationMoney(db, tenantId, input.operationId),
      look(input.operationId),
      needsFourEyes(db, tenantId),
    ]);
    if (!about || !seen) return null;
    const open = seen.record.status === 'unknown';
    return {
      sighting: seen.sighting,
      digest: seen.digest,
      sides: compareSides(about, seen.sighting) ?? null,
      standings: open ? seen.standings : [],
      fourEyes,
    };
  }),

  /** Held for a few seconds, or until something has changed. */
  watch: memberProcedure
    .input(byId.extend({ version: z.string().max(200).optional() }))
    .query(async ({ ctx, input, signal }) => {
      await requireOwn(ctx, input.operationId);
      const { operationId, version } = input;
      return watchOperation(ctx.house, ctx.member.tenantId, { operationId, version }, signal);
    }),

  reconcile: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    await requireOwn(ctx, input.operationId);
    return reconcileByPerson(ctx.house, ctx.member, input.operationId);
  }),

  /** Says what became of it, as far as the evidence allows. */
  resolve: operatorProcedure
    .input(byId.extend({ claim: z.enum(claims), reason, digest: z.string().length(64) }))
    .mutation(async ({ ctx, input }) => {
      await requireOwn(ctx, input.operationId);
      const result = await resolveOperation(ctx.house, ctx.member, input);
      if (result.kind === 'takes_an_approver') {
        throw new TRPCError({
          code: 'FORBIDDEN',
          message: 'Overriding the evidence takes the role of approver or above.',
        });
      }
      return result;
    }),
});

async function requireOwn(
  ctx: { house: { db: Parameters<typeof findOperation>[0] }; member: { tenantId: string } },
  id: string,
): Promise<void> {
  const { tenantId } = ctx.member;
  const own = await ctx.house.db.idempotencyRecord.findFirst({
    where: { id, tenantId },
    select: { id: true },
  });
  if (!own) throw noSuchOperation();
}

/** Another tenant's operation and one that never was are told apart by nobody. */
function noSuchOperation(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operation.' });
}
