import { randomUUID } from 'node:crypto';
import { Prisma, type PrismaClient } from '#prisma';
import { writeAuditEntry } from '../audit/write-audit-entry.ts';
import { hashInvitationToken, type InvitationDelivery } from './invitations.ts';
import type { Role } from './membership.ts';

type Tx = Prisma.TransactionClient;

export interface OpenInvitation {
  readonly email: string;
  readonly role: Role;
  readonly shopName: string;
  readonly expiresAt: string;
  /** With an account they sign in and join; otherwise they choose a name and a password. */
  readonly hasAccount: boolean;
}

/** Undefined when there is none or when it is no longer valid; both look the same to callers. */
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
  /** The address has an account: that person has to sign in first. */
  | { readonly kind: 'has_account' }
  /** The invitation is for another address than that of the person who is signed in. */
  | { readonly kind: 'not_yours' };

/** For people without an account. The link is redeemed, and account and membership are created, in one transaction. */
export async function acceptAsNewcomer(
  db: PrismaClient,
  token: string,
  newcomer: { readonly name: string; readonly password: string },
  hash: (password: string) => Promise<string>,
): Promise<Accepted> {
  // Hashing is slow on purpose, so it is done only for a valid link, and before the transaction begins.
  const open = await findInvitation(db, token);
  if (!open) return { kind: 'no_such_invitation' };
  if (open.hasAccount) return { kind: 'has_account' };
  const password = await hash(newcomer.password);
  try {
    return await db.$transaction(async (tx) => {
      const redeemed = await redeemInvitation(tx, token);
      if (!redeemed) return { kind: 'no_such_invitation' };
      const { email } = redeemed;
      const emailVerified = joinedBy(redeemed) !== 'shown_link';
      const userId = await createPerson(tx, { email, name: newcomer.name, password, emailVerified });
      return join(tx, redeemed, { userId, email });
    });
  } catch (error) {
    // The account was created meanwhile, through another invitation to the same address.
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
    const redeemed = await redeemInvitation(tx, token);
    return redeemed ? join(tx, redeemed, person) : { kind: 'no_such_invitation' };
  });
}

/** A link works once: of two requests at the same moment, one wins the conditional UPDATE. */
async function redeemInvitation(tx: Tx, token: string) {
  const [redeemed] = await tx.$queryRaw<Redeemed[]>`
    UPDATE invitation SET status = 'accepted'
    WHERE token_hash = ${hashInvitationToken(token)} AND status = 'pending' AND expires_at > clock_timestamp()
    RETURNING id, organization_id AS "tenantId", email, role, delivery, inviter_id AS "inviterId"`;
  return redeemed;
}

interface Redeemed {
  readonly id: string;
  readonly tenantId: string;
  readonly email: string;
  readonly role: Role;
  readonly delivery: InvitationDelivery;
  readonly inviterId: string | null;
}

/** What is known about the person: a link that was mailed proves that the mailbox is theirs, one that was shown does not. */
function joinedBy({ inviterId, delivery }: Redeemed): 'administrator' | 'mailed_link' | 'shown_link' {
  if (inviterId === null) return 'administrator';
  return delivery === 'mailed' ? 'mailed_link' : 'shown_link';
}

/** The address counts as verified if the link came by e-mail, or from the person who runs the installation. */
export async function createPerson(
  tx: Tx,
  person: {
    readonly email: string;
    readonly name: string;
    readonly password: string;
    readonly emailVerified: boolean;
  },
): Promise<string> {
  const id = randomUUID();
  const { email, name, password, emailVerified } = person;
  await tx.user.create({ data: { id, email, name, emailVerified } });
  await tx.account.create({
    data: { id: randomUUID(), userId: id, accountId: id, providerId: 'credential', password },
  });
  return id;
}

/** An existing member keeps their role. */
async function join(
  tx: Tx,
  invitation: Redeemed,
  person: { userId: string; email: string },
): Promise<Accepted> {
  const { tenantId, role } = invitation;
  await tx.member.createMany({
    data: [
      {
        id: randomUUID(),
        organizationId: tenantId,
        userId: person.userId,
        role,
        joinedBy: joinedBy(invitation),
      },
    ],
    skipDuplicates: true,
  });
  await writeAuditEntry(
    tx,
    { tenantId, ...person },
    {
      action: 'member.join',
      subject: { type: 'invitation', id: invitation.id },
      details: { role, by: joinedBy(invitation) },
    },
  );
  return { kind: 'joined', tenantId, email: person.email };
}
