import type { BetterAuthPlugin } from 'better-auth';
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import type { PrismaClient } from '#prisma';
import { clientAddressOf } from '../incoming/client-address.ts';
import { auditAccount } from './audit-account.ts';
import { challengedUser, deviceOf, factorOf, type Hook, originOf } from './hooks.ts';
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
    await writeFailure(ctx, { factor, who, userId }, 'account.sign_in_failed');
  }

  /** A password or a code was wrong in a session, which may be a stolen one. */
  async function onProof(ctx: Hook, factor: Factor): Promise<void> {
    const user = (await getSessionFromCtx(ctx))?.user;
    if (!user) return;
    const { returned } = ctx.context;
    if (isAPIError(returned)) {
      const who = factor === 'password' ? user.email : user.id;
      if (wrongProofs.has(returned.body?.code ?? ''))
        await writeFailure(ctx, { factor, who, userId: user.id }, 'account.proof_failed');
    } else if (ctx.path === '/two-factor/generate-backup-codes') {
      await auditAccount(db, user.id, { action: 'account.backup_codes', byPerson: true });
    }
  }

  async function writeFailure(
    ctx: Hook,
    { factor, who, userId }: { readonly factor: Factor; readonly who: string; readonly userId: string },
    action: string,
  ): Promise<void> {
    const details = { factor, address: addressOf(ctx) };
    await auditAccount(db, userId, { action, details, byPerson: false });
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
          matcher: ({ path }) => factorOf(path) !== undefined,
          handler: createAuthMiddleware(async (ctx) => {
            // With a session, it confirms a change of the account or who the person is; it is not a sign-in.
            const proved = factorOf(ctx.path);
            if (ctx.context.session && proved) return onProof(ctx, proved);
            const factor = factors[ctx.path ?? ''];
            if (!factor) return;
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

const wrongProofs: ReadonlySet<string> = new Set(['INVALID_PASSWORD', 'INVALID_CODE', 'INVALID_BACKUP_CODE']);

type NewSession = NonNullable<Hook['context']['newSession']>;

/** The password or the code was compared and is wrong; other errors say nothing about them. */
function isRefusal(status: number): boolean {
  return status === 400 || status === 401;
}

function addressOf(ctx: Hook): string {
  return clientAddressOf(ctx.headers ?? new Headers());
}
