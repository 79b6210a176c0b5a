import { z } from 'zod';
import { type Range, ranges, readActivity } from '#console/overview/activity-series.ts';
import { readHealth, readOpenPiles } from '#console/overview/overview.ts';
import { readFigures } from '#console/overview/overview-figures.ts';
import { memberProcedure, router } from '../init.ts';

const overTime = z.object({ range: z.enum(Object.keys(ranges) as [Range, ...Range[]]) });

/** What an operator wants to know before anything else. */
export const overviewRouter = router({
  open: memberProcedure.query(({ ctx }) => readOpenPiles(ctx.services.db, ctx.member.tenantId)),

  health: memberProcedure.query(({ ctx }) =>
    readHealth(ctx.services.db, ctx.member.tenantId, ctx.services.settings.provider),
  ),

  figures: memberProcedure
    .input(overTime)
    .query(({ ctx, input }) => readFigures(ctx.services.db, ctx.member.tenantId, input.range)),

  activity: memberProcedure
    .input(overTime)
    .query(({ ctx, input }) => readActivity(ctx.services.db, ctx.member.tenantId, input.range)),
});
