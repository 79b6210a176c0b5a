import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { Role } from '#console/members/membership.ts';
import type { Prisma } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';
import { createPasswords } from '#server/auth/passwords.ts';
import { clientAddressHeader } from '#server/incoming/client-address.ts';
import { services } from '#server/services.ts';
import { createPageContext, readingIdentityOnce } from '#server/trpc/context.ts';
import { createCaller } from '#server/trpc/root.ts';

export type ConsoleCaller = ReturnType<typeof createCaller>;

export interface TestPerson {
  readonly userId: string;
  readonly email: string;
  /** As a browser would send it. */
  readonly cookie: string;
  readonly call: ConsoleCaller;
}

export const testPassword = 'a password for tests';
const publicUrl = 'http://127.0.0.1:3000';

/** Hashing is slow on purpose, and is most of what a sign-in costs. `passwords.test.ts` tests the real one. */
const quickHashing = {
  hash: async (password: string) => `quick:${password}`,
  verify: async ({ hash, password }: { hash: string; password: string }) => hash === `quick:${password}`,
};

/** The services of one process on a database of its own, and people who use them. */
export async function openConsoleHarness(over: Record<string, string> = {}) {
  const database = await createTestDatabase({ template: 'app' });
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
    SANDBOX_SECRET_KEY: 'sk_test_unused',
    SANDBOX_WEBHOOK_SECRET: 'whsec_unused',
    PUBLIC_URL: publicUrl,
    // No server listens there, so calls to the provider are refused at once.
    SANDBOX_URL: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    ...over,
  });
  const { db, settings } = services();
  const auth = await services().auth();
  Object.assign(auth.passwords, createPasswords(quickHashing));
  const passwordHash = await auth.passwords.hash(testPassword);

  async function openShop(slug: string): Promise<string> {
    const { id } = await db.organization.create({ data: { id: randomUUID(), name: slug, slug } });
    return id;
  }

  async function createPerson(email = `${randomUUID()}@example.com`): Promise<TestPerson> {
    const id = randomUUID();
    await db.user.create({ data: { id, email, name: email.split('@')[0] ?? email, emailVerified: true } });
    await db.account.create({
      data: { id: randomUUID(), userId: id, accountId: id, providerId: 'credential', password: passwordHash },
    });
    return { userId: id, email, ...(await signIn(id)) };
  }

  async function createMember(tenantId: string, role: Role): Promise<TestPerson & { memberId: string }> {
    const person = await createPerson();
    const memberId = randomUUID();
    await db.member.create({
      data: { id: memberId, organizationId: tenantId, userId: person.userId, role },
    });
    return { ...person, memberId };
  }

  /** A session without a password; the tests about signing in use the real endpoint. */
  async function signIn(userId: string): Promise<{ cookie: string; call: ConsoleCaller }> {
    const { internalAdapter, authCookies } = await auth.context;
    const { token } = await internalAdapter.createSession(userId);
    const signature = createHmac('sha256', settings.AUTH_SECRET).update(token).digest('base64');
    const cookie = `${authCookies.sessionToken.name}=${encodeURIComponent(`${token}.${signature}`)}`;
    return { cookie, call: callerOf(cookie) };
  }

  /** A request to better-auth's own endpoints, as the browser sends it. */
  function post(path: string, body: unknown, cookie = '', address = ''): Promise<Response> {
    return auth.handler(
      new Request(`${publicUrl}/api/auth${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: publicUrl,
          cookie,
          ...(address && { [clientAddressHeader]: address }),
        },
        body: JSON.stringify(body),
      }),
    );
  }

  async function close(): Promise<void> {
    await services().close();
    await database.drop();
  }

  return { db, auth, services: services(), openShop, createPerson, createMember, signIn, post, close };
}

export type ConsoleHarness = Awaited<ReturnType<typeof openConsoleHarness>>;

export function callerOf(cookie: string, headers: Record<string, string> = {}): ConsoleCaller {
  return createCaller(createPageContext(new Headers(cookie ? { cookie, ...headers } : headers)));
}

/** Its calls share one read of the session and the memberships, like those of one request of the browser. */
export function batchCallerOf(cookie: string): ConsoleCaller {
  return createCaller(readingIdentityOnce(createPageContext(new Headers({ cookie }))));
}

/** Whether a statement of another connection waits for what the transaction has locked. */
export async function isWaitedFor(
  db: Prisma.TransactionClient,
  tx: Prisma.TransactionClient,
): Promise<boolean> {
  const [own] = await tx.$queryRaw<{ pid: number }[]>`SELECT pg_backend_pid() AS pid`;
  // Not by the transaction itself, which would see the activity of its first look for ever.
  const waiting = await db.$queryRaw<unknown[]>`
    SELECT FROM pg_stat_activity WHERE ${own?.pid}::int = ANY (pg_blocking_pids(pid))`;
  return waiting.length > 0;
}

/** The cookies that a browser keeps of a response. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
