import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import { createPerson } from '#console/members/accept-invitation.ts';
import { insertInvitation, invitationLink, mintInvitationToken } from '#console/members/invitations.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { forgetDevices } from './known-devices.ts';
import { clearAttempts } from './sign-in-locks.ts';

type Tx = Prisma.TransactionClient;

export interface Appointment {
  readonly email: string;
  readonly tenant: { readonly slug: string; readonly name: string | undefined };
  /** Absent: the result is a link, and the person who follows it chooses a password. */
  readonly password: string | undefined;
  /** Also when the shop has an owner. */
  readonly another: boolean;
  readonly publicUrl: string;
}

export type Appointed =
  | { readonly kind: 'link'; readonly link: string; readonly founded: boolean }
  | { readonly kind: 'owner'; readonly founded: boolean }
  | { readonly kind: 'has_owner'; readonly owners: readonly string[] }
  | { readonly kind: 'no_such_tenant' };

/**
 * For the administrator of the installation, who has the database's password and so needs no other permission. It creates
 * a shop with its first owner, and restores access for an owner who lost the password or the second factor.
 */
export async function appointOwner(db: PrismaClient, wanted: Appointment): Promise<Appointed> {
  const email = wanted.email.toLowerCase();
  const password = wanted.password === undefined ? undefined : await hashPassword(wanted.password);
  return db.$transaction(async (tx) => {
    const { slug, name } = wanted.tenant;
    const known = await tx.organization.findUnique({ where: { slug } });
    if (!known && name === undefined) return { kind: 'no_such_tenant' };
    const founded = known === null;
    const tenant =
      known ?? (await tx.organization.create({ data: { id: randomUUID(), slug, name: name ?? slug } }));
    await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenant.id} FOR NO KEY UPDATE`;
    const owners = await listOwners(tx, tenant.id);
    if (owners.length > 0 && !wanted.another && !owners.includes(email)) return { kind: 'has_owner', owners };

    const user = await tx.user.findUnique({ where: { email } });
    await writeAuditEntry(tx, commandLine(tenant.id), {
      action: 'member.appoint_owner',
      subject: { type: 'tenant', id: tenant.id },
      details: { email, by: password === undefined ? 'link' : 'password' },
    });
    if (password === undefined) {
      const token = await replaceInvitation(tx, tenant.id, email);
      return { kind: 'link', link: invitationLink(wanted.publicUrl, token), founded };
    }
    const userId = user
      ? await resetAccount(tx, user.id, email, password)
      : await createPerson(tx, { email, name: email.split('@')[0] ?? email, password, emailVerified: true });
    await tx.member.upsert({
      where: { organizationId_userId: { organizationId: tenant.id, userId } },
      update: { role: 'owner' },
      create: { id: randomUUID(), organizationId: tenant.id, userId, role: 'owner' },
    });
    return { kind: 'owner', founded };
  });
}

async function listOwners(tx: Tx, tenantId: string): Promise<string[]> {
  const rows = await tx.member.findMany({
    where: { organizationId: tenantId, role: 'owner' },
    select: { user: { select: { email: true } } },
  });
  return rows.map(({ user }) => user.email);
}

/** The newest link is the one that works. */
async function replaceInvitation(tx: Tx, organizationId: string, email: string): Promise<string> {
  await tx.invitation.updateMany({
    where: { organizationId, email, status: 'pending' },
    data: { status: 'revoked' },
  });
  const { token, tokenHash } = mintInvitationToken();
  const one = {
    tenantId: organizationId,
    email,
    role: 'owner',
    tokenHash,
    inviterId: null,
    delivery: 'shown',
  } as const;
  if (!(await insertInvitation(tx, one)))
    throw new Error('Another invitation was written at the same moment.');
  return token;
}

/** Sets the password, removes the second factor, and ends all sessions of the person. */
async function resetAccount(tx: Tx, userId: string, email: string, password: string): Promise<string> {
  // A session that is written meanwhile waits for the commit, and its sign-in then sees the reset.
  await tx.$queryRaw`SELECT FROM "user" WHERE id = ${userId} FOR UPDATE`;
  await tx.account.deleteMany({ where: { userId, providerId: 'credential' } });
  await tx.account.create({
    data: { id: randomUUID(), userId, accountId: userId, providerId: 'credential', password },
  });
  await tx.user.update({ where: { id: userId }, data: { twoFactorEnabled: false } });
  await tx.twoFactor.deleteMany({ where: { userId } });
  await tx.session.deleteMany({ where: { userId } });
  await forgetDevices(tx, userId);
  await clearAttempts(tx, 'password', email);
  await clearAttempts(tx, 'second_factor', userId);
  return userId;
}

function commandLine(tenantId: string) {
  return { tenantId, userId: 'command_line', email: 'the command line' };
}
