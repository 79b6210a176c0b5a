import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware, isAPIError } from 'better-auth/api';
import type { PrismaClient } from '#prisma';
import { clientAddressOf } from '../incoming/client-address.ts';
import { auditAccount } from './audit-account.ts';
import { challengedUser, deviceOf, type Hook, originOf } from './hooks.ts';
import { deviceCookie, mintDeviceId, rememberDevice } from './known-devices.ts';
import { withdrawConfirmation } from './session-state.ts';
import { type Factor, lockedSeconds } from './sign-in-locks.ts';

const factors: Readonly<Record<string, Factor>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'second_factor',
  '/two-factor/verify-backup-code': 'second_factor',
};

/**
 * Every sign-in, every failed one and every lock of an account is in the audit log of that person's shops, with the address
 * it came from. Listed after the second factor's plugin: while a code is still asked for, there is no session yet.
 */
export function createSignInTrail(db: PrismaClient) {
  async function onFailure(ctx: Hook, factor: Factor): Promise<void> {
    const typed = String(ctx.body?.email ?? '').toLowerCase();
    const userId =
      factor === 'password'
        ? (await db.user.findUnique({ where: { email: typed }, select: { id: true } }))?.id
        : await challengedUser(ctx);
    if (!userId) return;
    const who = factor === 'password' ? typed : userId;
    const details = { factor, address: addressOf(ctx) };
    await auditAccount(db, userId, { action: 'account.sign_in_failed', details, byPerson: false });
    const seconds = await lockedSeconds(db, factor, who, await originOf(db, ctx, who));
    if (seconds === 0) return;
    await auditAccount(db, userId, {
      action: 'account.locked',
      details: { ...details, seconds },
      byPerson: false,
    });
  }

  async function onSuccess(ctx: Hook, { user, session }: NewSession): Promise<void> {
    const userId = user.id;
    // A trusted browser was let in without a code. It has proved less than what a fresh proof stands for.
    if (ctx.path === '/sign-in/email' && user.twoFactorEnabled) await withdrawConfirmation(db, session.id);
    const device = (await deviceOf(ctx)) ?? mintDeviceId();
    const cookie = ctx.context.createAuthCookie(deviceCookie.name, { maxAge: deviceCookie.maxAge });
    await ctx.setSignedCookie(cookie.name, device, ctx.context.secret, cookie.attributes);
    await rememberDevice(db, userId, device);
    const details = { address: addressOf(ctx), userAgent: ctx.headers?.get('user-agent') ?? null };
    await auditAccount(db, userId, { action: 'account.sign_in', details, byPerson: true });
  }

  return {
    id: 'sign-in-trail',
    hooks: {
      after: [
        {
          matcher: ({ path }) => path !== undefined && path in factors,
          handler: createAuthMiddleware(async (ctx) => {
            const factor = factors[ctx.path ?? ''];
            // With a session, the code confirms a change of the account; it is not a sign-in.
            if (!factor || ctx.context.session) return;
            if (isAPIError(ctx.context.returned)) {
              if (isRefusal(ctx.context.returned.statusCode)) await onFailure(ctx, factor);
            } else if (ctx.context.newSession) {
              await onSuccess(ctx, ctx.context.newSession);
            }
          }),
        },
      ],
    },
  } satisfies BetterAuthPlugin;
}

type NewSession = NonNullable<Hook['context']['newSession']>;

/** The password or the code was compared and is wrong; other errors say nothing about them. */
function isRefusal(status: number): boolean {
  return status === 400 || status === 401;
}

function addressOf(ctx: Hook): string {
  return clientAddressOf(ctx.headers ?? new Headers());
}
