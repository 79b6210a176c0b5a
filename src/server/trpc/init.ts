import { initTRPC, TRPCError } from '@trpc/server';
import { isAtLeast, type Role, RoleLost } from '#console/members/membership.ts';
import { shopHeader, shopInHeader } from '#console/members/shop-header.ts';
import { ProblemError } from '#idempotency/adapters/trpc.ts';
import { idempotencyProblems } from '#idempotency/index.ts';
import { findUnsafeText, unsafeTextMessage } from '#payments/unsafe-text.ts';
import { recordActivity } from '../auth/session-state.ts';
import { noteUnavailable } from '../incoming/unavailable-status.ts';
import { isUnavailable, retryAfterSeconds } from '../unavailable.ts';
import type { Context } from './context.ts';

/** Who may call the procedure. Read by the test that tries every procedure with all others. */
export interface Meta {
  /** `person`: signed in, whether or not they work for any shop. */
  readonly access: 'public' | 'person' | Role;
  /** The query mostly waits for something else than the database, so it takes no turn of its tenant's reads. */
  readonly waits?: true;
}

const unexpected = 'Something went wrong on our side.';

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    defaultMeta: { access: 'public' },
    // Proxies cut a connection that is silent for a minute; streams of five minutes cannot pile up behind a lost client.
    sse: {
      ping: { enabled: true, intervalMs: 15_000 },
      client: { reconnectAfterInactivityMs: 45_000 },
      maxDurationMs: 300_000,
    },
    /** Programs act on the problem's code; the message is for people. Stacks and causes stay on the server. */
    errorFormatter({ shape, error }) {
      const { stack: _, ...data } = shape.data;
      if (!(error instanceof ProblemError)) {
        // An unexpected error's message names tables, ids and addresses. It is for the log.
        const message = error.code === 'INTERNAL_SERVER_ERROR' ? unexpected : shape.message;
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

/** A database that does not respond is no bug of ours: the client may retry with the same key. */
export const publicProcedure = t.procedure.use(async ({ ctx, next, getRawInput }) => {
  const unsafe = findUnsafeText(await getRawInput());
  if (unsafe) throw new TRPCError({ code: 'BAD_REQUEST', message: `${unsafe}: ${unsafeTextMessage}.` });
  const result = await next();
  if (result.ok) return result;
  if (!isUnavailable(result.error.cause)) return result;
  noteUnavailable();
  ctx.idempotency.responseHeaders.set('Retry-After', String(retryAfterSeconds));
  throw new ProblemError({ spec: idempotencyProblems.idempotency_store_unavailable, retryAfterSeconds });
});
export const createCallerFactory = t.createCallerFactory;

/** For a person's own data: every read and write below is confined to `ctx.person.userId`. */
export const personProcedure = publicProcedure.meta({ access: 'person' }).use(async ({ ctx, next, type }) => {
  const session = await ctx.identity.session();
  if (!session) throw new TRPCError({ code: 'UNAUTHORIZED', message: 'Please sign in.' });
  if (type === 'mutation') await recordActivity(ctx.services.db, session.session.id);
  const { user, confirmed } = session;
  return next({
    ctx: {
      person: {
        userId: user.id,
        email: user.email,
        name: user.name,
        secondFactor: user.twoFactorEnabled === true,
        sessionId: session.session.id,
        confirmed,
        activeTenantId: session.session.activeOrganizationId ?? null,
      },
    },
  });
});

/** For a signed-in person without a membership. */
export const noShop = 'You are not a member of any shop.';
/** For a page that shows another shop than the one that is open now. */
export const anotherShop =
  'This page shows another shop than the one that is open now. Nothing was changed: reload the page.';
/** For a member without a second factor, where the shop asks for one. */
export const secondFactorNeeded = 'This shop asks for a second factor. Set one up first.';

/**
 * For a signed-in member: every read and write below is confined to `ctx.member.tenantId`. Role and shop are read anew
 * for every request, so a lost role or membership is lost at once. A tenant's reads have turns, so that they leave connections
 * for others.
 */
export const memberProcedure = personProcedure
  .meta({ access: 'viewer' })
  .use(async ({ ctx, next, ...call }) => {
    const { userId, email, name, activeTenantId } = ctx.person;
    const all = await ctx.identity.memberships(userId);
    const here = all.find(({ tenantId }) => tenantId === activeTenantId) ?? all[0];
    if (!here) throw new TRPCError({ code: 'FORBIDDEN', message: noShop });
    const shown = ctx.headers.get(shopHeader);
    if (shown !== null && shown !== shopInHeader(here.tenantId))
      throw new TRPCError({ code: 'PRECONDITION_FAILED', message: anotherShop });
    // A list over several shops leaves out those that this person may not open.
    const shops = all.filter((shop) => ctx.person.secondFactor || !shop.needsSecondFactor);
    if (!shops.includes(here)) throw new TRPCError({ code: 'FORBIDDEN', message: secondFactorNeeded });
    const admit = () => next({ ctx: { member: { userId, email, name, ...here, shops } } });
    if (call.type !== 'query' || call.meta?.waits) return admit();
    return ctx.services.memberReads.run(here.tenantId, admit);
  });

/** For procedures that change something. A viewer only reads. */
export const operatorProcedure = atLeast('operator');
/** For decisions on another operator's proposal. */
export const approverProcedure = atLeast('approver');
/** For people, keys and settings. */
export const ownerProcedure = atLeast('owner');
/** For what would outlast a stolen session, such as a key: the person proves who they are first. */
export const confirmedOwnerProcedure = ownerProcedure.use(({ ctx, next }) => {
  requireConfirmed(ctx.person);
  return next();
});

/** `account.confirm` is what the page asks for then; it sends the same request again afterwards. */
export function requireConfirmed(person: { readonly confirmed: boolean }): void {
  if (person.confirmed) return;
  throw new TRPCError({ code: 'PRECONDITION_REQUIRED', message: 'Confirm that it is you.' });
}

/** For a member who became an approver a short time ago. */
export function tooNew(from: string): TRPCError {
  const time = `${from.slice(0, 16).replace('T', ' ')} UTC`;
  const message = `You became an approver a short time ago. You can approve from ${time} on.`;
  return new TRPCError({ code: 'FORBIDDEN', message });
}

function atLeast(role: Role) {
  return memberProcedure.meta({ access: role }).use(async ({ ctx, next }) => {
    if (!isAtLeast(ctx.member.role, role)) throw lacks(role);
    const result = await next({ ctx: { member: { ...ctx.member, needs: role } } });
    if (!result.ok && result.error.cause instanceof RoleLost) throw lacks(result.error.cause.needed);
    return result;
  });
}

export function lacks(role: Role): TRPCError {
  return new TRPCError({ code: 'FORBIDDEN', message: `This takes the role of ${role} or above.` });
}
