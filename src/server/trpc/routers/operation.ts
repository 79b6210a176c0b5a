import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { addNote, assignOperation, snoozeOperation } from '#console/assignments/assignments.ts';
import { compareSides } from '#console/operation-page/compare-sides.ts';
import { findOperation } from '#console/operation-page/find-operation.ts';
import { operationMoney } from '#console/operation-page/operation-money.ts';
import { watchOperation } from '#console/operation-page/watch-operation.ts';
import { readStatus } from '#console/operation-status.ts';
import { needsFourEyes } from '#console/resolution/four-eyes.ts';
import { reconcileAsOperator } from '#console/resolution/reconcile-operation.ts';
import { resolveOperation } from '#console/resolution/resolve.ts';
import type { OperationRef } from '#idempotency/index.ts';
import { findKind } from '#payments/index.ts';
import { assertions } from '#payments/operations/copy.ts';
import { providerAddress } from '#server/provider-address.ts';
import type { Services } from '#server/services.ts';
import { countQuestion } from '../ask-provider.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';
import { reason, writtenText } from '../written-text.ts';

const byId = z.object({ operationId: z.uuid() });

/** One operation: what is known of it, and what a person may do about it. */
export const operationRouter = router({
  get: memberProcedure.input(byId).query(async ({ ctx, input }) => {
    const found = await findOperation(ctx.services, refOf(ctx.member, input));
    if (!found) throw noSuchOperation();
    const { settings } = ctx.services;
    return { ...found, providerAddress: found.about && providerAddress(settings, found.about.payment) };
  }),

  /** Asks the provider now and changes nothing: its side beside ours, and which assertions that admits. */
  examine: memberProcedure
    .meta({ access: 'viewer', waits: true })
    .input(byId)
    .query(async ({ ctx, input }) => {
      const { db, examine } = ctx.services;
      await countQuestion(ctx);
      const ref = await requireOwn(ctx, input);
      const [about, examined, fourEyes] = await Promise.all([
        operationMoney(db, ref),
        examine(ref),
        needsFourEyes(db, ref.tenantId),
      ]);
      const kind = examined && findKind(examined.record.operation);
      if (!about || !kind) return null;
      const { record, snapshot, digest, admissibilities } = examined;
      return {
        snapshot,
        digest,
        sides: compareSides(kind, about, snapshot) ?? null,
        admissibilities: record.status === 'unknown' ? [...admissibilities] : [],
        fourEyes,
      };
    }),

  /** Held for a few seconds, or until something has changed. */
  watch: memberProcedure
    .meta({ access: 'viewer', waits: true })
    .input(byId.extend({ version: z.string().max(200).optional() }))
    .query(async ({ ctx, input, signal }) => {
      const ref = await requireOwn(ctx, input);
      return watchOperation(ctx.services, ref, input.version, signal);
    }),

  reconcile: operatorProcedure.input(byId).mutation(async ({ ctx, input }) => {
    await countQuestion(ctx);
    await requireOwn(ctx, input);
    return reconcileAsOperator(ctx.services, ctx.member, input.operationId);
  }),

  note: operatorProcedure
    .input(byId.extend({ text: writtenText({ min: 1, max: 1_000, message: 'Write something first.' }) }))
    .mutation(async ({ ctx, input }) => {
      await requireOwn(ctx, input);
      await addNote(ctx.services.db, ctx.member, input.operationId, input.text);
    }),

  assign: operatorProcedure
    .input(byId.extend({ assignee: z.string().max(100).nullable() }))
    .mutation(async ({ ctx, input }) => {
      await requireOwn(ctx, input);
      const { db } = ctx.services;
      if (await assignOperation(db, ctx.member, input.operationId, input.assignee)) return;
      throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operator in this shop.' });
    }),

  /** Takes it out of the queue for a while; zero brings it back. */
  snooze: operatorProcedure
    .input(
      byId.extend({
        minutes: z
          .int()
          .min(0)
          .max(14 * 24 * 60),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      const ref = await requireOwn(ctx, input);
      await snoozeOperation(ctx.services.db, ctx.member, ref, input.minutes);
    }),

  /** Asserts its outcome, as far as the evidence admits. */
  resolve: operatorProcedure
    .input(
      byId.extend({
        assertion: z.enum(assertions),
        reason,
        digest: z.string().length(64),
        propose: z.boolean().optional(),
      }),
    )
    .mutation(async ({ ctx, input }) => {
      await countQuestion(ctx);
      await requireOwn(ctx, input);
      const result = await resolveOperation(ctx.services, ctx.member, input);
      if (result.kind === 'needs_approver') {
        throw new TRPCError({
          code: 'FORBIDDEN',
          message: 'Overriding the evidence takes the role of approver or above.',
        });
      }
      return result;
    }),
});

interface Member {
  readonly tenantId: string;
}

function refOf({ tenantId }: Member, { operationId }: z.output<typeof byId>): OperationRef {
  return { tenantId, id: operationId };
}

async function requireOwn(
  { services, member }: { readonly services: Pick<Services, 'db'>; readonly member: Member },
  input: z.output<typeof byId>,
): Promise<OperationRef> {
  const ref = refOf(member, input);
  if (!(await readStatus(services.db, ref))) throw noSuchOperation();
  return ref;
}

/** The same error for another tenant's operation as for one that does not exist. */
function noSuchOperation(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such operation.' });
}
