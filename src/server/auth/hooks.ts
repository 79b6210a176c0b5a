import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import type { PrismaClient } from '#prisma';
import { beginAttempt, type Factor, forgetAttempts } from './sign-in-locks.ts';
import { markCodeUsed } from './used-codes.ts';

/** Where a password is tried, with or without a session: a stolen session must not make guessing cheap. */
const passwordPaths = [
  '/sign-in/email',
  '/change-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
];
const codePaths = ['/two-factor/verify-totp', '/two-factor/verify-backup-code'];

type Hook = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

export type AuthEvent =
  | { readonly kind: 'locked'; readonly factor: Factor; readonly retryAfterSeconds: number }
  | { readonly kind: 'failed'; readonly error: unknown };

export function createLockHooks(db: PrismaClient, observe: (event: AuthEvent) => void) {
  async function admit(factor: Factor, who: string): Promise<void> {
    const admission = await beginAttempt(db, factor, who);
    if (admission.kind === 'admitted') return;
    const { retryAfterSeconds } = admission;
    observe({ kind: 'locked', factor, retryAfterSeconds });
    throw new APIError('TOO_MANY_REQUESTS', {
      code: 'ACCOUNT_LOCKED',
      message: 'Too many wrong tries. Wait, then sign in.',
      retryAfterSeconds,
    });
  }

  return {
    before: createAuthMiddleware(async (ctx) => {
      const tried = await whoIsTried(ctx);
      if (tried) await admit(tried.factor, tried.who);
      if (factorOf(ctx.path) !== 'second_factor') return;
      const userId = await codeOwner(ctx);
      if (userId && !(await markCodeUsed(db, userId, String(ctx.body?.code)))) {
        throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: 'This code was used before.' });
      }
    }),
    after: createAuthMiddleware(async (ctx) => {
      if (isAPIError(ctx.context.returned)) return;
      const factor = factorOf(ctx.path);
      if (!factor) return;
      const user = ctx.context.newSession?.user ?? (await getSessionFromCtx(ctx))?.user;
      if (user) await forgetAttempts(db, factor, factor === 'password' ? user.email : user.id);
    }),
  };
}

function factorOf(path: string | undefined): Factor | undefined {
  if (path === undefined) return undefined;
  if (passwordPaths.includes(path)) return 'password';
  return codePaths.includes(path) ? 'second_factor' : undefined;
}

async function whoIsTried(ctx: Hook): Promise<{ factor: Factor; who: string } | undefined> {
  const factor = factorOf(ctx.path);
  if (!factor) return undefined;
  if (ctx.path === '/sign-in/email') return { factor, who: String(ctx.body?.email ?? '') };
  const session = await getSessionFromCtx(ctx);
  if (factor === 'password') return session ? { factor, who: session.user.email } : undefined;
  // With a session it is the owner of the secret who tries whether the app has it; nobody is let in by that.
  const who = session ? undefined : await challengedUser(ctx);
  return who ? { factor, who } : undefined;
}

async function codeOwner(ctx: Hook): Promise<string | undefined> {
  return (await getSessionFromCtx(ctx))?.user.id ?? (await challengedUser(ctx));
}

/** Whose password was right a moment ago, by the cookie that says so. */
async function challengedUser(ctx: Hook): Promise<string | undefined> {
  const cookie = ctx.context.createAuthCookie('two_factor');
  const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret);
  const asked = challenge ? await ctx.context.internalAdapter.findVerificationValue(challenge) : null;
  return asked?.value;
}

/** What somebody does with their own account concerns every shop they work for. */
export async function auditAccountChange(db: PrismaClient, userId: string, action: string): Promise<void> {
  const members = await db.member.findMany({ where: { userId }, include: { user: true } });
  for (const { organizationId, user } of members) {
    await writeAuditEntry(
      db,
      { tenantId: organizationId, userId, email: user.email },
      { action, subject: { type: 'user', id: userId } },
    );
  }
}
