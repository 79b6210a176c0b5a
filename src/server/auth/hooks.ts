import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import { deleteSessionCookie } from 'better-auth/cookies';
import { endSession } from '#console/members/own-account.ts';
import type { PrismaClient } from '#prisma';
import { clientAddressOf, limitedNetworkOf } from '../incoming/client-address.ts';
import { readCredentials } from './credentials.ts';
import { deviceCookie, isKnownDevice } from './known-devices.ts';
import { type Passwords, PasswordsBusy } from './passwords.ts';
import { readSessionState } from './session-state.ts';
import { beginAttempt, clearAttempts, type Factor, type Origin } from './sign-in-locks.ts';
import { markCodeUsed } from './used-codes.ts';

/** Where a password is tried, with or without a session: a stolen session must not make guessing cheap. */
const passwordPaths = [
  '/sign-in/email',
  '/change-password',
  '/verify-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/generate-backup-codes',
];
const codePaths = ['/two-factor/verify-totp', '/two-factor/verify-backup-code'];
/**
 * What would take the account, or its second factor, away from the person. Where a second factor is on, they take a code as
 * well as the password, in the same request: a session and a password may both be stolen.
 */
const bothFactorsPaths = ['/change-password', '/two-factor/disable', '/two-factor/generate-backup-codes'];

export type Hook = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

export type AuthEvent =
  | { readonly kind: 'locked'; readonly factor: Factor; readonly retryAfterSeconds: number }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Compares a code of the app, or a backup code, for the session that the headers have. Throws when it is wrong. */
export type VerifyCode = (code: string, headers: Headers) => Promise<unknown>;

export function createLockHooks(
  db: PrismaClient,
  passwords: Passwords,
  verifyCode: VerifyCode,
  observe: (event: AuthEvent) => void,
) {
  async function admit(ctx: Hook, { factor, who }: Tried): Promise<void> {
    // Before it is counted: a try that was never made must not lock anyone.
    if (factor === 'password' && passwords.isBusy()) throw busy(new PasswordsBusy());
    const admission = await beginAttempt(db, factor, who, await originOf(db, ctx, who));
    if (admission.kind === 'admitted') return;
    const { retryAfterSeconds } = admission;
    observe({ kind: 'locked', factor, retryAfterSeconds });
    throw new APIError('TOO_MANY_REQUESTS', {
      code: 'ACCOUNT_LOCKED',
      message: 'Too many wrong tries. Wait, then sign in.',
      retryAfterSeconds,
    });
  }

  /** Of the sign-ins under way, by their headers: what the person had to prove when each began. */
  const begunWith = new WeakMap<Headers, string | undefined>();

  /**
   * Comparing a password takes long, and what it is compared with was read before. A sign-in that ends after the password was
   * changed or reset, or the second factor turned on, would leave a session that the change was to end.
   */
  async function refuseOutdated(ctx: Hook): Promise<void> {
    const { newSession } = ctx.context;
    if (ctx.path !== '/sign-in/email' || !newSession || !ctx.headers || !begunWith.has(ctx.headers)) return;
    if ((await readCredentials(db, typedEmail(ctx))) === begunWith.get(ctx.headers)) return;
    await endSession(db, newSession.user.id, newSession.session.id);
    deleteSessionCookie(ctx);
    ctx.context.setNewSession(null);
    throw new APIError('SERVICE_UNAVAILABLE', {
      code: 'CREDENTIALS_CHANGED',
      message: 'The password or the second factor was changed at this moment. Sign in again.',
    });
  }

  return {
    before: createAuthMiddleware(async (ctx) => {
      if (factorOf(ctx.path)) await endOverdueSession(db, ctx);
      const tried = await findTried(ctx);
      if (tried) await admit(ctx, tried);
      if (ctx.path === '/sign-in/email' && ctx.headers && ctx.body?.password)
        begunWith.set(ctx.headers, await readCredentials(db, typedEmail(ctx)));
      if (factorOf(ctx.path) === 'second_factor') {
        const userId = await codeOwner(ctx);
        if (userId && !(await markCodeUsed(db, userId, String(ctx.body?.code)))) {
          const code = ctx.path === '/two-factor/verify-backup-code' ? 'INVALID_BACKUP_CODE' : 'INVALID_CODE';
          throw new APIError('UNAUTHORIZED', { code, message: 'This code was used before.' });
        }
      }
      if (ctx.path && bothFactorsPaths.includes(ctx.path)) await requireCode(ctx, verifyCode);
      // A new password ends what a stolen one may have opened, whether or not the caller asks for it.
      if (ctx.path !== '/change-password') return undefined;
      return { context: { body: { ...ctx.body, revokeOtherSessions: true } } };
    }),
    after: createAuthMiddleware(async (ctx) => {
      if (isAPIError(ctx.context.returned)) return;
      await refuseOutdated(ctx);
      const factor = factorOf(ctx.path);
      if (!factor) return;
      const user = ctx.context.newSession?.user ?? (await getSessionFromCtx(ctx))?.user;
      if (!user) return;
      const who = factor === 'password' ? user.email : user.id;
      await clearAttempts(db, factor, who, await originOf(db, ctx, who));
    }),
  };
}

/**
 * A session without use, or of long ago, is over here as well: with the password, but without the second factor, a stolen cookie would
 * otherwise become a new session.
 */
async function endOverdueSession(db: PrismaClient, ctx: Hook): Promise<void> {
  const found = ctx.path === '/sign-in/email' ? null : await getSessionFromCtx(ctx);
  if (!found || !(await readSessionState(db, found.session.id)).over) return;
  await endSession(db, found.user.id, found.session.id);
  throw new APIError('UNAUTHORIZED', { code: 'SESSION_ENDED', message: 'Your session has ended. Sign in.' });
}

/** The password comes first, so that a mistyped one uses up no code; better-auth refuses it right after this. */
async function requireCode(ctx: Hook, verifyCode: VerifyCode): Promise<void> {
  const user = (await getSessionFromCtx(ctx))?.user;
  if (!user?.twoFactorEnabled || !(await hasPassword(ctx, user.id))) return;
  const code = ctx.body?.code;
  if (typeof code !== 'string' || code === '') {
    throw new APIError('FORBIDDEN', { code: 'CODE_NEEDED', message: 'This takes a code as well.' });
  }
  await verifyCode(code, ctx.headers ?? new Headers());
}

async function hasPassword(ctx: Hook, userId: string): Promise<boolean> {
  const password = String(ctx.body?.currentPassword ?? ctx.body?.password ?? '');
  const accounts = await ctx.context.internalAdapter.findAccounts(userId);
  const hash = accounts.find(({ providerId }) => providerId === 'credential')?.password;
  return hash ? ctx.context.password.verify({ hash, password }) : false;
}

/** As better-auth reports it. */
export function busy({ retryAfterSeconds }: PasswordsBusy): APIError {
  return new APIError(
    'SERVICE_UNAVAILABLE',
    { code: 'BUSY', message: 'Too many people are signing in. Try again in a moment.', retryAfterSeconds },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

interface Tried {
  readonly factor: Factor;
  readonly who: string;
}

export function factorOf(path: string | undefined): Factor | undefined {
  if (path === undefined) return undefined;
  if (passwordPaths.includes(path)) return 'password';
  return codePaths.includes(path) ? 'second_factor' : undefined;
}

async function findTried(ctx: Hook): Promise<Tried | undefined> {
  const factor = factorOf(ctx.path);
  if (!factor) return undefined;
  if (ctx.path === '/sign-in/email') return { factor, who: typedEmail(ctx) };
  const session = await getSessionFromCtx(ctx);
  if (factor === 'password') return session ? { factor, who: session.user.email } : undefined;
  // Without a second factor, the code confirms that one is set up; it gives no access, so it is not counted.
  if (session) return session.user.twoFactorEnabled ? { factor, who: session.user.id } : undefined;
  const who = await challengedUser(ctx);
  return who ? { factor, who } : undefined;
}

function typedEmail(ctx: Hook): string {
  return String(ctx.body?.email ?? '');
}

async function codeOwner(ctx: Hook): Promise<string | undefined> {
  return (await getSessionFromCtx(ctx))?.user.id ?? (await challengedUser(ctx));
}

/** The user who has just passed the password step, from the signed cookie of the challenge. */
export async function challengedUser(ctx: Hook): Promise<string | undefined> {
  const cookie = ctx.context.createAuthCookie('two_factor');
  const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret);
  const asked = challenge ? await ctx.context.internalAdapter.findVerificationValue(challenge) : null;
  return asked?.value;
}

export async function originOf(db: PrismaClient, ctx: Hook, who: string): Promise<Origin> {
  const device = await deviceOf(ctx);
  if (device && (await isKnownDevice(db, who, device))) return { device };
  return { network: limitedNetworkOf(clientAddressOf(ctx.headers ?? new Headers())) };
}

export async function deviceOf(ctx: Hook): Promise<string | undefined> {
  const { name } = ctx.context.createAuthCookie(deviceCookie.name);
  return (await ctx.getSignedCookie(name, ctx.context.secret)) || undefined;
}
