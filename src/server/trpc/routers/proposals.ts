import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  approveProposal,
  type Decided,
  rejectProposal,
  withdrawProposal,
} from '#console/resolution/decide-proposal.ts';
import { listProposals } from '#console/resolution/list-proposals.ts';
import { approverProcedure, memberProcedure, operatorProcedure, router, tooNew } from '../init.ts';
import { reason } from '../written-text.ts';

const byId = z.object({ id: z.uuid() });
const note = z.string().trim().max(1_000);

/** Verdicts that wait for a second person. */
export const proposalsRouter = router({
  list: memberProcedure.query(({ ctx }) => listProposals(ctx.services.db, ctx.member.tenantId)),

  approve: approverProcedure
    .input(byId.extend({ note: note.optional() }))
    .mutation(async ({ ctx, input }) => allowed(await approveProposal(ctx.services, ctx.member, input))),

  reject: approverProcedure
    .input(byId.extend({ note: reason }))
    .mutation(async ({ ctx, input }) => allowed(await rejectProposal(ctx.services, ctx.member, input))),

  withdraw: operatorProcedure
    .input(byId)
    .mutation(async ({ ctx, input }) => allowed(await withdrawProposal(ctx.services, ctx.member, input))),
});

type Allowed = Exclude<Decided, { kind: 'own_proposal' | 'too_new' | 'not_yours' | 'missing' }>;

function allowed(decided: Decided): Allowed {
  switch (decided.kind) {
    case 'own_proposal':
      throw new TRPCError({
        code: 'FORBIDDEN',
        message: 'You proposed this yourself: another operator has to decide on it.',
      });
    case 'too_new':
      throw tooNew(decided.from);
    case 'not_yours':
      throw new TRPCError({ code: 'FORBIDDEN', message: 'Only who proposed it can take it back.' });
    case 'missing':
      throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such proposal.' });
    default:
      return decided;
  }
}
