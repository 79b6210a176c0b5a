import { initTRPC, TRPCError } from '@trpc/server';
import { idempotencyProblems } from '#idempotency/index.ts';
import { isDatabaseTrouble } from '#idempotency/stores/prisma.ts';
import { ProblemError } from '#idempotency/trpc.ts';
import type { Context } from './context.ts';

const t = initTRPC.context<Context>().create({
  /** Programs act on the problem's code; the message is for people. Stacks and causes stay on the server. */
  errorFormatter({ shape, error }) {
    const { stack: _, ...data } = shape.data;
    if (!(error instanceof ProblemError)) return { ...shape, data: { ...data, problem: null } };
    const { spec, retryAfterSeconds, extensions } = error.problem;
    return {
      ...shape,
      data: {
        ...data,
        problem: {
          code: spec.code,
          title: spec.title,
          action: spec.action,
          newKey: spec.newKey,
          operationId: error.operationId ?? null,
          retryAfterSeconds: retryAfterSeconds ?? null,
          extensions: extensions ?? {},
        },
      },
    };
  },
});

export const router = t.router;

/** A database that does not answer is not our bug but a reason to come back: the same key stays good. */
export const publicProcedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok || !isDatabaseTrouble(result.error.cause)) return result;
  throw new ProblemError({ spec: idempotencyProblems.idempotency_store_unavailable, retryAfterSeconds: 2 });
});
export const createCallerFactory = t.createCallerFactory;

/** For a signed-in member: every read and write below is confined to `ctx.member.tenantId`. */
export const memberProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const session = await ctx.house.auth.api.getSession({ headers: ctx.headers });
  if (!session) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Please sign in.' });
  const member = await ctx.house.db.member.findFirst({
    where: {
      userId: session.user.id,
      ...(session.session.activeOrganizationId && { organizationId: session.session.activeOrganizationId }),
    },
    orderBy: { createdAt: 'asc' },
    select: { role: true, organization: { select: { id: true, name: true, slug: true } } },
  });
  if (!member) throw new TRPCError({ code: 'FORBIDDEN', message: 'You are not a member of any shop.' });
  return next({
    ctx: {
      member: {
        userId: session.user.id,
        email: session.user.email,
        role: member.role,
        tenantId: member.organization.id,
        tenantName: member.organization.name,
        tenantSlug: member.organization.slug,
      },
    },
  });
});

const actingRoles = new Set(['operator', 'approver', 'owner']);

/** For what changes something. A viewer looks only. */
export const operatorProcedure = memberProcedure.use(({ ctx, next }) => {
  if (!actingRoles.has(ctx.member.role)) {
    throw new TRPCError({ code: 'FORBIDDEN', message: 'Your role allows looking, not acting.' });
  }
  return next();
});
