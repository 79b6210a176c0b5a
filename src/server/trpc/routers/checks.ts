import { z } from 'zod';
import { pauseChecks, readCheckPause, resumeChecks } from '#console/checks/check-pause.ts';
import { memberProcedure, operatorProcedure, router } from '../init.ts';
import { reason } from '../written-text.ts';

/** The automatic checks of a shop's unknown operations. */
export const checksRouter = router({
  /** Null while they are made. */
  pause: memberProcedure.query(({ ctx }) => readCheckPause(ctx.services.db, ctx.member.tenantId)),

  stop: operatorProcedure
    .input(z.object({ reason }))
    .mutation(({ ctx, input }) => pauseChecks(ctx.services.db, ctx.member, input.reason)),

  resume: operatorProcedure.mutation(({ ctx }) => resumeChecks(ctx.services.db, ctx.member)),
});
