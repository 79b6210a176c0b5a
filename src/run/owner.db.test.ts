import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { verifyPassword } from 'better-auth/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { inCheckout } from './checkout.ts';
import { childEnvironment } from './testing/child-environment.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';

let database: TestDatabase;
let db: PrismaClient;
beforeAll(async () => {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  database = await createTestDatabase();
  db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url }) });
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

async function owner(args: string[], input = ''): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [inCheckout('src', 'run', 'owner.ts'), ...args], {
    env: {
      NODE_ENV: 'production',
      ...childEnvironment(),
      DATABASE_URL: database.url,
      PUBLIC_URL: 'https://shop.example',
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.end(input);
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code, output: `${out}${err}`.trim() };
}

const shop = ['--email', 'Ada@shop.example', '--tenant', 'my-shop'];
const link = /https:\/\/shop\.example\/admin\/invitation\/[\w-]{43}/;

// These tests run in order on one database that is empty at first, as in a new installation.
test('on an empty database the command applies the migrations, creates the shop and prints an invitation for its owner', async () => {
  expect(await owner(shop)).toEqual({
    code: 1,
    output: 'There is no shop "my-shop" yet; give it a name with --name to create it.',
  });
  const { code, output } = await owner([...shop, '--name', 'My Shop']);
  expect(code).toBe(0);
  expect(output).toMatch(link);
  expect(await db.organization.findMany()).toMatchObject([{ slug: 'my-shop', name: 'My Shop' }]);
  expect(await db.invitation.findMany()).toMatchObject([{ email: 'ada@shop.example', role: 'owner' }]);
});

test('run again before the link was used, it prints a new link and revokes the old one', async () => {
  expect((await owner(shop)).output).toMatch(link);
  const states = await db.invitation.findMany({ orderBy: { createdAt: 'asc' } });
  expect(states.map(({ status }) => status)).toEqual(['revoked', 'pending']);
});

test('with a password from standard input the owner can sign in at once', async () => {
  expect((await owner([...shop, '--password-stdin'], 'short\n')).output).toBe(
    'The password must have from 12 to 128 characters.',
  );
  const { code, output } = await owner([...shop, '--password-stdin'], 'correct horse battery\n');
  expect([code, output]).toEqual([
    0,
    'Ada@shop.example owns "my-shop" and can sign in at https://shop.example/admin.',
  ]);
  const [account] = await db.account.findMany();
  expect(await verifyPassword({ hash: account?.password ?? '', password: 'correct horse battery' })).toBe(
    true,
  );
  expect(await db.member.findMany({ include: { user: true } })).toMatchObject([
    { role: 'owner', user: { email: 'ada@shop.example' } },
  ]);
});

test('a second owner is refused in one sentence, unless --another is given', async () => {
  const second = ['--email', 'eve@shop.example', '--tenant', 'my-shop'];
  expect(await owner(second)).toEqual({
    code: 1,
    output:
      '"my-shop" has an owner already (ada@shop.example), who can invite others in the console; add --another to appoint one from here.',
  });
  expect((await owner([...second, '--another'])).output).toMatch(link);
});

test('an owner who lost password and second factor gets a new password, and all their sessions end', async () => {
  const { id: userId } = await db.user.update({
    where: { email: 'ada@shop.example' },
    data: { twoFactorEnabled: true },
  });
  await db.twoFactor.create({ data: { id: 'tf', userId, secret: 'x', backupCodes: 'x' } });
  await db.session.create({
    data: { id: 's', userId, token: 't', expiresAt: new Date(Date.now() + 60_000) },
  });
  expect((await owner([...shop, '--password-stdin'], 'another good password\n')).code).toBe(0);
  expect([await db.twoFactor.count(), await db.session.count()]).toEqual([0, 0]);
  const actions = await db.auditEntry.findMany({ where: { action: 'member.appoint_owner' } });
  expect(actions.length).toBe(5);
  expect(actions.every(({ actorEmail }) => actorEmail === 'the command line')).toBe(true);
});

test('a password is not accepted as an argument', async () => {
  expect(await owner([...shop, '--password', 'secret'])).toEqual({
    code: 1,
    output: "Unknown option '--password'. --help lists the options.",
  });
});
