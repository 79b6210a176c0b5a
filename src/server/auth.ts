import { betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { isAPIError } from 'better-auth/api';
import { nextCookies } from 'better-auth/next-js';
import { twoFactor } from 'better-auth/plugins';
import { forgetTrustedDevices } from '#console/members/own-account.ts';
import { findUnsafeText, unsafeTextMessage } from '#payments/unsafe-text.ts';
import type { PrismaClient } from '#prisma';
import { auditAccount } from './auth/audit-account.ts';
import { type AuthEvent, busy, createLockHooks, type VerifyCode } from './auth/hooks.ts';
import { forgetDevices } from './auth/known-devices.ts';
import { isOpen } from './auth/open-paths.ts';
import { passwordLength } from './auth/password-length.ts';
import { createPasswords, PasswordsBusy } from './auth/passwords.ts';
import { createSignInTrail } from './auth/sign-in-trail.ts';
import { clientAddressHeader } from './incoming/client-address.ts';
import { isFromOwnPage } from './incoming/own-origin.ts';
import { noteUnavailable } from './incoming/unavailable-status.ts';
import { createRateLimitStorage } from './rate-limit.ts';
import { withinLimit } from './read-body.ts';
import { isUnavailable, unavailableResponse } from './unavailable.ts';

/**
 * People sign in with a password, and with a second factor if they turned it on. There is no sign-up: accounts come from
 * invitations, from the command line, and from the demo's seed. Memberships and roles are managed in `console/`:
 * better-auth's organization plugin has roles of its own and thirty endpoints that bypass our rules, so only its tables
 * are used.
 */
export function createAuth(
  db: PrismaClient,
  settings: { secret: string; publicUrl: string },
  observe: (event: AuthEvent) => void = () => undefined,
) {
  const passwords = createPasswords();
  const verifyCode: VerifyCode = (code, headers) =>
    /^\d{6}$/.test(code)
      ? auth.api.verifyTOTP({ body: { code }, headers })
      : auth.api.verifyBackupCode({ body: { code, disableSession: true }, headers });
  const auth = betterAuth({
    appName: 'Paidonce',
    secret: settings.secret,
    baseURL: settings.publicUrl,
    telemetry: { enabled: false },
    // A mistyped password is not logged; locks and unexpected errors are reported to `observe`.
    logger: { disabled: true },
    onAPIError: {
      onError: (error) => {
        if (isUnavailable(error)) noteUnavailable();
        if (!isAPIError(error)) observe({ kind: 'failed', error });
      },
    },
    database: prismaAdapter(db, { provider: 'postgresql' }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.min,
      maxPasswordLength: passwordLength.max,
      password: {
        hash: (password) => passwords.hash(password).catch(rethrowBusy),
        verify: (tried) => passwords.verify(tried).catch(rethrowBusy),
      },
    },
    advanced: {
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
      // better-auth leaves the check of the origin out of tests, which would then prove nothing about it.
      disableOriginCheck: false,
    },
    // The shop that is open in this session. Only `account.switchShop` writes it, after checking the membership.
    session: {
      additionalFields: { activeOrganizationId: { type: 'string', required: false, input: false } },
    },
    hooks: createLockHooks(db, passwords, verifyCode, observe),
    databaseHooks: {
      user: {
        update: {
          async after(user, ctx) {
            const action = secondFactorActions.get(ctx?.path ?? '');
            if (!action) return;
            await auditAccount(db, user.id, { action, byPerson: true });
            if (action === 'account.second_factor_off') return forgetTrustedDevices(db, user.id);
            // The other sessions have proved a password only, and one of them may be a reason to turn it on.
            const { session, newSession } = ctx?.context ?? {};
            const kept = [session?.session.id, newSession?.session.id].filter((id) => id !== undefined);
            await db.session.deleteMany({ where: { userId: user.id, id: { notIn: kept } } });
          },
        },
      },
      account: {
        update: {
          async after(account, ctx) {
            if (ctx?.path !== '/change-password') return;
            await auditAccount(db, account.userId, { action: 'account.change_password', byPerson: true });
            await forgetDevices(db, account.userId);
          },
        },
      },
    },
    rateLimit: {
      enabled: true,
      customStorage: createRateLimitStorage(db),
      // Per address, which many people may share; each account has a stricter limit of its own.
      customRules: {
        '/sign-in/email': { window: 60, max: 30 },
        '/two-factor/*': { window: 60, max: 30 },
      },
    },
    plugins: [
      twoFactor({
        issuer: 'Paidonce',
        // `sign-in-locks.ts` counts before an attempt, by the database's clock, and its locks grow.
        accountLockout: { enabled: false },
      }),
      createSignInTrail(db),
      nextCookies(),
    ],
  });
  return {
    api: auth.api,
    context: auth.$context,
    passwords,
    async handler(request: Request): Promise<Response> {
      if (!isOpen(request)) return new Response('Not Found', { status: 404 });
      // better-auth checks it too, but counts the attempt first: another site could lock its visitor's account.
      if (!isFromOwnPage(request, settings.publicUrl)) return fromAnotherSite();
      return withinLimit(request, maxBodyBytes, async (bounded) => {
        const unsafe = findUnsafeText(
          await bounded
            .clone()
            .json()
            .catch(() => undefined),
        );
        if (!unsafe) return handleOrUnavailable(bounded);
        const message = `${unsafe}: ${unsafeTextMessage}.`;
        return Response.json({ code: 'INVALID_TEXT', message }, { status: 400 });
      });
    },
  };

  /** Limits are counted outside of what `onAPIError` hears of, so their errors are thrown. */
  async function handleOrUnavailable(request: Request): Promise<Response> {
    try {
      return await auth.handler(request);
    } catch (error) {
      if (isUnavailable(error)) return unavailableResponse();
      throw error;
    }
  }
}

export type Auth = ReturnType<typeof createAuth>;

/** With better-auth's code. The body is not read, so the connection cannot be used again. */
function fromAnotherSite(): Response {
  const body = { code: 'INVALID_ORIGIN', message: 'This request comes from another site.' };
  return Response.json(body, { status: 403, headers: { Connection: 'close' } });
}

function rethrowBusy(error: unknown): never {
  throw error instanceof PasswordsBusy ? busy(error) : error;
}

/** Names, passwords and codes. */
const maxBodyBytes = 16 * 1024;

const secondFactorActions = new Map([
  ['/two-factor/verify-totp', 'account.second_factor_on'],
  ['/two-factor/disable', 'account.second_factor_off'],
]);
