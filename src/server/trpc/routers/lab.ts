import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { cutPoints } from '#faults/index.ts';
import {
  cutPointsOf,
  exportCurl,
  exportPlaywright,
  findScenario,
  LabBusy,
  scenarios,
  seedSchema,
  xRay,
} from '#lab/index.ts';
import { openLab } from '#server/lab/open-lab.ts';
import { publicProcedure, router } from '../init.ts';

/** Outside the embedded default these procedures respond with NOT_FOUND, as the demo bar's do. */
const labProcedure = publicProcedure.use(({ ctx, next }) => {
  if (!ctx.services.settings.demo)
    throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no lab here.' });
  return next({ ctx: { lab: openLab(ctx.services) } });
});

const runInput = z.object({
  scenario: z.string().max(60),
  seed: seedSchema,
  cut: z.enum(cutPoints).optional(),
});

function runRequestOf(input: z.output<typeof runInput>) {
  const scenario = findScenario(input.scenario);
  if (!scenario) throw new TRPCError({ code: 'NOT_FOUND', message: 'There is no such scenario.' });
  const { seed, cut } = input;
  if (cut && !cutPointsOf(scenario).includes(cut)) {
    throw new TRPCError({
      code: 'BAD_REQUEST',
      message: `The fault of this scenario does not strike at ${cut}.`,
    });
  }
  return { scenario, seed, cut };
}

export const labRouter = router({
  scenarios: labProcedure.query(() =>
    scenarios.map((scenario) => {
      const { name, title, group, story, lesson, fault } = scenario;
      return {
        ...{ name, title, group, story, lesson },
        fault: fault ? { action: fault.action, at: fault.at } : null,
        cutPoints: cutPointsOf(scenario),
      };
    }),
  ),

  start: labProcedure.input(runInput).mutation(async ({ ctx, input }) => {
    try {
      return { runId: await ctx.lab.start(runRequestOf(input)) };
    } catch (error) {
      if (error instanceof LabBusy) throw new TRPCError({ code: 'CONFLICT', message: error.message });
      throw error;
    }
  }),

  read: labProcedure.input(z.object({ runId: z.uuid() })).query(async ({ ctx, input }) => {
    const view = await ctx.lab.read(input.runId);
    if (!view)
      throw new TRPCError({ code: 'NOT_FOUND', message: 'This run is no longer kept. Run it again.' });
    return view;
  }),

  exports: labProcedure.input(runInput).query(({ ctx, input }) => {
    const { PUBLIC_URL, SANDBOX_URL } = ctx.services.settings;
    const request = runRequestOf(input);
    return {
      playwright: exportPlaywright(request, new URL(runPath(input), PUBLIC_URL).href),
      curl: exportCurl(request, { app: PUBLIC_URL, sandbox: SANDBOX_URL }),
    };
  }),

  /** Keys of the lab's own tenant only. */
  xRay: labProcedure
    .input(z.object({ key: z.string().trim().min(16).max(255) }))
    .query(async ({ ctx, input }) => {
      const { tenantId } = await ctx.lab.tenant();
      const found = await xRay(ctx.services, tenantId, input.key);
      return found ? { ...found, replays: ctx.lab.replaysOf(input.key) } : null;
    }),
});

function runPath({ scenario, seed, cut }: z.output<typeof runInput>): string {
  return `/lab/${scenario}?seed=${seed}${cut ? `&cut=${cut}` : ''}`;
}
