import { betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { isAPIError } from 'better-auth/api';
import { nextCookies } from 'better-auth/next-js';
import { twoFactor } from 'better-auth/plugins';
import type { PrismaClient } from '#prisma';
import { type AuthEvent, auditAccountChange, createLockHooks } from './auth/hooks.ts';
import { isOpen } from './auth/open-paths.ts';
import { createRateLimitStorage } from './rate-limit.ts';

/** Long enough that guessing is hopeless at the pace that locks allow; the most that hashing should be made to chew. */
export const passwordLength = { least: 12, most: 128 } as const;

/**
 * People sign in here: password, then a second factor for those who turned it on. Nobody can sign up from outside:
 * accounts come from invitations, from the command line, and from the demo's seed. Which shop somebody works for, and as
 * what, is ours alone to say (`console/`): better-auth's organization plugin would bring its own roles and thirty
 * endpoints around our rules, so only its tables are used.
 */
export function createAuth(
  db: PrismaClient,
  settings: { secret: string; publicUrl: string },
  observe: (event: AuthEvent) => void = () => undefined,
) {
  const auth = betterAuth({
    appName: 'Paidonce',
    secret: settings.secret,
    baseURL: settings.publicUrl,
    telemetry: { enabled: false },
    // That somebody mistyped a password is no news; what is, is told to `observe`.
    logger: { disabled: true },
    onAPIError: {
      onError: (error) => {
        if (!isAPIError(error)) observe({ kind: 'failed', error });
      },
    },
    database: prismaAdapter(db, { provider: 'postgresql' }),
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: passwordLength.least,
      maxPasswordLength: passwordLength.most,
    },
    // The shop a person of several looks at. Only `people.switchShop` writes it, after looking who they are.
    session: {
      additionalFields: { activeOrganizationId: { type: 'string', required: false, input: false } },
    },
    hooks: createLockHooks(db, observe),
    databaseHooks: {
      user: {
        update: {
          async after(user, ctx) {
            const action = secondFactorActions.get(ctx?.path ?? '');
            if (action) await auditAccountChange(db, user.id, action);
          },
        },
      },
      account: {
        update: {
          async after(account, ctx) {
            if (ctx?.path === '/change-password') {
              await auditAccountChange(db, account.userId, 'account.change_password');
            }
          },
        },
      },
    },
    rateLimit: {
      enabled: true,
      customStorage: createRateLimitStorage(db),
      // For one address, which may be a whole office; a single account has its own, harder limit.
      customRules: {
        '/sign-in/email': { window: 60, max: 30 },
        '/two-factor/*': { window: 60, max: 30 },
      },
    },
    plugins: [
      twoFactor({
        issuer: 'Paidonce',
        // Ours counts before an attempt, by the database's clock, and grows.
        accountLockout: { enabled: false },
      }),
      nextCookies(),
    ],
  });
  return {
    api: auth.api,
    context: auth.$context,
    handler: async (request: Request): Promise<Response> =>
      isOpen(request) ? auth.handler(request) : new Response('Not Found', { status: 404 }),
  };
}

const secondFactorActions = new Map([
  ['/two-factor/verify-totp', 'account.second_factor_on'],
  ['/two-factor/disable', 'account.second_factor_off'],
]);
