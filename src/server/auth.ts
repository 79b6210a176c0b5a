import { betterAuth } from 'better-auth';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { nextCookies } from 'better-auth/next-js';
import { organization } from 'better-auth/plugins';
import type { PrismaClient } from '#prisma';

/**
 * People sign in here; organizations are tenants. Nobody can sign up or found a tenant from outside: accounts come
 * from the seed, or later from an invitation.
 */
export function createAuth(db: PrismaClient, settings: { secret: string; publicUrl: string }) {
  return betterAuth({
    appName: 'Paidonce',
    secret: settings.secret,
    baseURL: settings.publicUrl,
    telemetry: { enabled: false },
    database: prismaAdapter(db, { provider: 'postgresql' }),
    emailAndPassword: { enabled: true, disableSignUp: true },
    rateLimit: {
      enabled: true,
      storage: 'database',
      // Ten tries a minute is more than a person needs and far less than guessing takes.
      customRules: { '/sign-in/email': { window: 60, max: 10 } },
    },
    plugins: [organization({ allowUserToCreateOrganization: false }), nextCookies()],
  });
}

export type Auth = ReturnType<typeof createAuth>;
