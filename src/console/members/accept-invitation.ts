import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { Prisma, type PrismaClient } from '#prisma';
import { writeAuditEntry } from '../audit/write-audit-entry.ts';
import { hashInvitationToken } from './invitations.ts';
import type { Role } from './membership.ts';

type Tx = Prisma.TransactionClient;

export interface OpenInvitation {
  readonly email: string;
  readonly role: Role;
  readonly shopName: string;
  readonly expiresAt: string;
  /** Then they sign in and join; otherwise they choose a name and a password. */
  readonly hasAccount: boolean;
}

/** Undefined: there is none, or it is over. Which of them is told to nobody. */
export async function findInvitation(db: Tx, token: string): Promise<OpenInvitation | undefined> {
  const [row] = await db.$queryRaw<
    { email: string; role: Role; shopName: string; expiresAt: Date; hasAccount: boolean }[]
  >`
    SELECT i.email, i.role, o.name AS "shopName", i.expires_at AS "expiresAt",
      EXISTS (SELECT FROM "user" u WHERE u.email = i.email) AS "hasAccount"
    FROM invitation i JOIN organization o ON o.id = i.organization_id
    WHERE i.token_hash = ${hashInvitationToken(token)} AND i.status = 'pending'
      AND i.expires_at > clock_timestamp()`;
  return row && { ...row, expiresAt: row.expiresAt.toISOString() };
}

export type Accepted =
  | { readonly kind: 'joined'; readonly tenantId: string; readonly email: string }
  | { readonly kind: 'no_such_invitation' }
  /** The address has an account: its owner has to sign in first. */
  | { readonly kind: 'has_account' }
  /** It was written to somebody else than the person who is signed in. */
  | { readonly kind: 'not_yours' };

/** For those who are new here. Link, account and membership become true together. */
export async function acceptAsNewcomer(
  db: PrismaClient,
  token: string,
  newcomer: { readonly name: string; readonly password: string },
): Promise<Accepted> {
  // Hashing is slow on purpose: only for those who hold a link, and not while a transaction is open.
  const open = await findInvitation(db, token);
  if (!open) return { kind: 'no_such_invitation' };
  if (open.hasAccount) return { kind: 'has_account' };
  const password = await hashPassword(newcomer.password);
  try {
    return await db.$transaction(async (tx) => {
      const taken = await takeInvitation(tx, token);
      if (!taken) return { kind: 'no_such_invitation' };
      const userId = await createPerson(tx, { email: taken.email, name: newcomer.name, password });
      return join(tx, taken, { userId, email: taken.email });
    });
  } catch (error) {
    // Somebody made the account in the meantime, through another invitation to the same address.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      return { kind: 'has_account' };
    }
    throw error;
  }
}

export async function acceptAsPerson(
  db: PrismaClient,
  token: string,
  person: { readonly userId: string; readonly email: string },
): Promise<Accepted> {
  const open = await findInvitation(db, token);
  if (!open) return { kind: 'no_such_invitation' };
  if (open.email !== person.email.toLowerCase()) return { kind: 'not_yours' };
  return db.$transaction(async (tx) => {
    const taken = await takeInvitation(tx, token);
    return taken ? join(tx, taken, person) : { kind: 'no_such_invitation' };
  });
}

/** Works once: of two who follow the link at the same moment, one gets it. */
async function takeInvitation(tx: Tx, token: string) {
  const [taken] = await tx.$queryRaw<{ id: string; tenantId: string; email: string; role: Role }[]>`
    UPDATE invitation SET status = 'accepted'
    WHERE token_hash = ${hashInvitationToken(token)} AND status = 'pending' AND expires_at > clock_timestamp()
    RETURNING id, organization_id AS "tenantId", email, role`;
  return taken;
}

/** The address is known to be theirs: the link came by e-mail, or from whoever runs the installation. */
export async function createPerson(
  tx: Tx,
  person: { readonly email: string; readonly name: string; readonly password: string },
): Promise<string> {
  const id = randomUUID();
  const { email, name, password } = person;
  await tx.user.create({ data: { id, email, name, emailVerified: true } });
  await tx.account.create({
    data: { id: randomUUID(), userId: id, accountId: id, providerId: 'credential', password },
  });
  return id;
}

/** Whoever is a member already stays what they are. */
async function join(
  tx: Tx,
  invitation: { id: string; tenantId: string; role: Role },
  person: { userId: string; email: string },
): Promise<Accepted> {
  const { tenantId, role } = invitation;
  await tx.member.createMany({
    data: [{ id: randomUUID(), organizationId: tenantId, userId: person.userId, role }],
    skipDuplicates: true,
  });
  await writeAuditEntry(
    tx,
    { tenantId, ...person },
    { action: 'member.join', subject: { type: 'invitation', id: invitation.id }, details: { role } },
  );
  return { kind: 'joined', tenantId, email: person.email };
}
