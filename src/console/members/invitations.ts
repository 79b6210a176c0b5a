import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { queueEmail } from '#payments/outbox/console.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { renderInvitation } from './invitation-email.ts';
import { holdRole, type Role } from './membership.ts';

type Tx = Prisma.TransactionClient;

/** Long enough for a weekend, and short enough that a link in an old mailbox does not work. */
export const invitationHours = 72;

/** How the link gets to the person. `shown`: this installation sends no e-mails, so an owner reads it and passes it on. */
export type InvitationDelivery = 'mailed' | 'shown';

export interface InvitationSettings {
  readonly publicUrl: string;
  readonly delivery: InvitationDelivery;
}

/**
 * The link is the capability: 256 random bits, stored as a hash. Only the e-mail contains the token. Where e-mails are sent,
 * only the mailbox's owner sees it: an owner of the shop who could read it could join as that person, and approve
 * their own proposals.
 */
export function mintInvitationToken(): { readonly token: string; readonly tokenHash: string } {
  const token = randomBytes(32).toString('base64url');
  return { token, tokenHash: hashInvitationToken(token) };
}

export function hashInvitationToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export function invitationLink(publicUrl: string, token: string): string {
  return `${publicUrl}/admin/invitation/${token}`;
}

export async function listInvitations(db: Tx, tenantId: string) {
  const rows = await db.$queryRaw<
    {
      id: string;
      email: string;
      role: Role;
      emailsSent: number;
      expiresAt: Date;
      expired: boolean;
      inviter: string | null;
    }[]
  >`
    SELECT i.id, i.email, i.role, i.emails_sent AS "emailsSent", i.expires_at AS "expiresAt",
      i.expires_at <= clock_timestamp() AS expired, u.email AS inviter
    FROM invitation i LEFT JOIN "user" u ON u.id = i.inviter_id
    WHERE i.organization_id = ${tenantId} AND i.status = 'pending'
    ORDER BY i.created_at DESC, i.id`;
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt.toISOString() }));
}

export type Invited =
  | { readonly kind: 'invited'; readonly id: string }
  | { readonly kind: 'already_member' }
  | { readonly kind: 'already_invited' };

export function invite(
  db: PrismaClient,
  actor: Actor,
  settings: InvitationSettings,
  wanted: { readonly email: string; readonly role: Role },
): Promise<Invited> {
  const email = wanted.email.toLowerCase();
  const { tenantId } = actor;
  return db.$transaction(async (tx) => {
    const member = await tx.member.findFirst({ where: { organizationId: tenantId, user: { email } } });
    if (member) return { kind: 'already_member' };
    const { token, tokenHash } = mintInvitationToken();
    const id = await insertInvitation(tx, {
      tenantId,
      email,
      role: wanted.role,
      tokenHash,
      inviterId: actor.userId,
      delivery: settings.delivery,
    });
    if (!id) return { kind: 'already_invited' };
    const { publicUrl, delivery } = settings;
    await sendInvitationEmail(tx, actor, publicUrl, { id, email, role: wanted.role, emailsSent: 1 }, token);
    await writeAuditEntry(tx, actor, {
      action: 'member.invite',
      subject: { type: 'invitation', id },
      details: { email, role: wanted.role, delivery },
    });
    return { kind: 'invited', id };
  });
}

/** Undefined when this address has an open invitation already. An expired one does not count. */
export async function insertInvitation(
  tx: Tx,
  one: {
    tenantId: string;
    email: string;
    role: Role;
    tokenHash: string;
    inviterId: string | null;
    delivery: InvitationDelivery;
  },
): Promise<string | undefined> {
  const id = randomUUID();
  await tx.$executeRaw`
    UPDATE invitation SET status = 'expired'
    WHERE organization_id = ${one.tenantId} AND email = ${one.email} AND status = 'pending'
      AND expires_at <= clock_timestamp()`;
  const written = await tx.$executeRaw`
    INSERT INTO invitation (id, organization_id, email, role, token_hash, inviter_id, delivery, expires_at)
    VALUES (${id}, ${one.tenantId}, ${one.email}, ${one.role}, ${one.tokenHash}, ${one.inviterId}, ${one.delivery},
      clock_timestamp() + ${invitationHours}::int * interval '1 hour')
    ON CONFLICT (organization_id, email) WHERE status = 'pending' DO NOTHING`;
  return written === 1 ? id : undefined;
}

/**
 * Sends a new link; the previous one stops working. False when there is no such open invitation. It is the actor's from now on:
 * an owner may read the new link, also where the old one was the administrator's.
 */
export function resendInvitation(
  db: PrismaClient,
  actor: Actor,
  settings: InvitationSettings,
  id: string,
): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await holdInviter(tx, actor);
    const { token, tokenHash } = mintInvitationToken();
    const [invitation] = await tx.$queryRaw<{ id: string; email: string; role: Role; emailsSent: number }[]>`
      UPDATE invitation SET token_hash = ${tokenHash}, emails_sent = emails_sent + 1,
        delivery = ${settings.delivery}, inviter_id = ${actor.userId},
        expires_at = clock_timestamp() + ${invitationHours}::int * interval '1 hour'
      WHERE id = ${id} AND organization_id = ${actor.tenantId} AND status = 'pending'
      RETURNING id, email, role, emails_sent AS "emailsSent"`;
    if (!invitation) return false;
    await sendInvitationEmail(tx, actor, settings.publicUrl, invitation, token);
    await writeAuditEntry(tx, actor, {
      action: 'member.invite_again',
      subject: { type: 'invitation', id },
      details: { email: invitation.email, delivery: settings.delivery },
    });
    return true;
  });
}

export function revokeInvitation(db: PrismaClient, actor: Actor, id: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await holdInviter(tx, actor);
    const { count } = await tx.invitation.updateMany({
      where: { id, organizationId: actor.tenantId, status: 'pending' },
      data: { status: 'revoked' },
    });
    if (count === 0) return false;
    await writeAuditEntry(tx, actor, { action: 'member.invite_revoke', subject: { type: 'invitation', id } });
    return true;
  });
}

/** Before an invitation is locked, as where an owner is removed and then their invitations are revoked (members.ts). */
async function holdInviter(tx: Tx, actor: Actor): Promise<void> {
  if (actor.needs) await holdRole(tx, actor, actor.needs);
}

async function sendInvitationEmail(
  tx: Tx,
  actor: Actor,
  publicUrl: string,
  invitation: { id: string; email: string; role: Role; emailsSent: number },
  token: string,
): Promise<void> {
  const shop = await tx.organization.findUniqueOrThrow({
    where: { id: actor.tenantId },
    select: { name: true },
  });
  await queueEmail(tx, actor.tenantId, {
    dedupeKey: `invitation:${invitation.id}:${invitation.emailsSent}`,
    toAddress: invitation.email,
    ...renderInvitation({
      shopName: shop.name,
      role: invitation.role,
      inviter: actor.email,
      link: invitationLink(publicUrl, token),
      hours: invitationHours,
    }),
  });
}

/** Hides the link of an invitation. Which e-mail it is in does not matter: only the newest link works. */
export async function hideMailedLink(
  db: Tx,
  tenantId: string,
  email: { readonly about: string; readonly html: string; readonly text: string },
): Promise<{ html: string; text: string }> {
  const [, id = ''] = email.about.split(':');
  const shown = await db.invitation.count({ where: { id, organizationId: tenantId, delivery: 'shown' } });
  if (shown > 0) return { html: email.html, text: email.text };
  const hide = (body: string) => body.replaceAll(/(\/admin\/invitation\/)[\w-]{43}/g, '$1…');
  return { html: hide(email.html), text: hide(email.text) };
}
