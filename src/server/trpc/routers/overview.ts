import { z } from 'zod';
import { type Range, ranges, rangeWithData, readActivity } from '#console/overview/activity-series.ts';
import { readAttention, readHealth, readOpenTotals } from '#console/overview/overview.ts';
import { readFigures } from '#console/overview/overview-figures.ts';
import { memberProcedure, router } from '../init.ts';

const overTime = z.object({ range: z.enum(Object.keys(ranges) as [Range, ...Range[]]) });

/** The first page of the console. */
export const overviewRouter = router({
  open: memberProcedure.query(({ ctx }) => readOpenTotals(ctx.services.db, ctx.member.tenantId)),

  /** Shown on every page: what waits for a person. */
  attention: memberProcedure.query(({ ctx }) => readAttention(ctx.services.db, ctx.member.tenantId)),

  health: memberProcedure.query(({ ctx }) =>
    readHealth(ctx.services.db, ctx.member.tenantId, ctx.services.settings.provider),
  ),

  /** The range of the charts that has something to show. */
  range: memberProcedure.query(({ ctx }) => rangeWithData(ctx.services.db, ctx.member.tenantId)),

  figures: memberProcedure
    .input(overTime)
    .query(({ ctx, input }) => readFigures(ctx.services.db, ctx.member.tenantId, input.range)),

  activity: memberProcedure
    .input(overTime)
    .query(({ ctx, input }) => readActivity(ctx.services.db, ctx.member.tenantId, input.range)),
});
