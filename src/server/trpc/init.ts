import { initTRPC, TRPCError } from '@trpc/server';
import { idempotencyProblems } from '#idempotency/index.ts';
import { isDatabaseTrouble } from '#idempotency/stores/prisma.ts';
import { ProblemError } from '#idempotency/adapters/trpc.ts';
import { listMemberships, type Role, reaches } from '#console/members/membership.ts';
import type { Context } from './context.ts';

/** Who may come in. Read by the test that tries every procedure with everybody else. */
export interface Meta {
  /** `person`: signed in, whether or not they work for any shop. */
  readonly door: 'public' | 'person' | Role;
}

const unforeseen = 'Something went wrong on our side.';

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    defaultMeta: { door: 'public' },
    // Proxies cut a line that is silent for a minute; a stream of five minutes cannot pile up behind a lost client.
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 45_000 },
      maxDurationMs: 300_000,
    },
    /** Programs act on the problem's code; the message is for people. Stacks and causes stay on the server. */
    errorFormatter({ shape, error }) {
      const { stack: _, ...data } = shape.data;
      if (!(error instanceof ProblemError)) {
        // What nobody foresaw carries the words of whatever broke: tables, ids, addresses. They are for the log.
        const message = error.code === 'INTERNAL_SERVER_ERROR' ? unforeseen : shape.message;
        return { ...shape, message, data: { ...data, problem: null } };
      }
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

/** For what is somebody's own: every read and write below is confined to `ctx.person.userId`. */
export const personProcedure = publicProcedure.meta({ door: 'person' }).use(async ({ ctx, next }) => {
  const session = await ctx.house.auth.api.getSession({ headers: ctx.headers });
  if (!session) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Please sign in.' });
  const { user, session: sitting } = session;
  return next({
    ctx: {
      person: {
        userId: user.id,
        email: user.email,
        name: user.name,
        secondFactor: user.twoFactorEnabled === true,
        sessionId: sitting.id,
        activeTenantId: sitting.activeOrganizationId ?? null,
      },
    },
  });
});

/** Signed in, but nobody here; pages tell them so calmly. */
export const noShop = 'You are not a member of any shop.';

/**
 * For a signed-in member: every read and write below is confined to `ctx.member.tenantId`. Role and shop are read anew
 * for every request, so what somebody lost they have lost at once.
 */
export const memberProcedure = personProcedure.meta({ door: 'viewer' }).use(async ({ ctx, next }) => {
  const { userId, email, name, activeTenantId } = ctx.person;
  const shops = await listMemberships(ctx.house.db, userId);
  const here = shops.find(({ tenantId }) => tenantId === activeTenantId) ?? shops[0];
  if (!here) throw new TRPCError({ code: 'FORBIDDEN', message: noShop });
  return next({ ctx: { member: { userId, email, name, ...here, shops } } });
});

/** For what changes something. A viewer looks only. */
export const operatorProcedure = atLeast('operator');
/** For saying yes to what somebody else proposed. */
export const approverProcedure = atLeast('approver');
/** For people, keys and settings. */
export const ownerProcedure = atLeast('owner');

function atLeast(role: Role) {
  return memberProcedure.meta({ door: role }).use(({ ctx, next }) => {
    if (reaches(ctx.member.role, role)) return next();
    throw new TRPCError({ code: 'FORBIDDEN', message: `This takes the role of ${role} or above.` });
  });
}
