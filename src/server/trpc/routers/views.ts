import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import {
  builtInViews,
  deleteView,
  listViews,
  renameView,
  saveView,
} from '#console/operations-list/saved-views.ts';
import { memberProcedure, router } from '../init.ts';

const name = z.string().trim().min(1, 'A view needs a name.').max(60, 'A name has at most 60 characters.');

/** Saved views: filters under a name, which belong to one person in one shop. Viewers may save them too. */
export const viewsRouter = router({
  list: memberProcedure.query(async ({ ctx }) => ({
    builtIn: builtInViews,
    own: await listViews(ctx.services.db, ctx.member),
  })),

  save: memberProcedure
    .input(z.object({ name, query: z.string().max(2_000) }))
    .mutation(({ ctx, input }) => saveView(ctx.services.db, ctx.member, input)),

  rename: memberProcedure.input(z.object({ id: z.uuid(), name })).mutation(async ({ ctx, input }) => {
    const renamed = await renameView(ctx.services.db, ctx.member, input.id, input.name);
    if (!renamed) throw noSuchView();
    return renamed;
  }),

  delete: memberProcedure.input(z.object({ id: z.uuid() })).mutation(async ({ ctx, input }) => {
    if (!(await deleteView(ctx.services.db, ctx.member, input.id))) throw noSuchView();
  }),
});

function noSuchView(): TRPCError {
  return new TRPCError({ code: 'NOT_FOUND', message: 'There is no such view.' });
}
