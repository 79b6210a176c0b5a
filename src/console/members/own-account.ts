import type { Prisma } from '#prisma';

/** The sessions of a person, without their tokens: a response with tokens could be used to sign in. */
export async function listSessions(db: Prisma.TransactionClient, userId: string, currentId: string) {
  const rows = await db.$queryRaw<
    { id: string; ipAddress: string | null; userAgent: string | null; createdAt: Date; updatedAt: Date }[]
  >`
    SELECT id, ip_address AS "ipAddress", user_agent AS "userAgent", created_at AS "createdAt",
      updated_at AS "updatedAt"
    FROM session WHERE user_id = ${userId} AND expires_at > clock_timestamp()
    ORDER BY (id = ${currentId}) DESC, updated_at DESC, id`;
  return rows.map((row) => ({
    id: row.id,
    current: row.id === currentId,
    ipAddress: row.ipAddress || null,
    userAgent: row.userAgent || null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

/** False when the person has no such session. */
export async function endSession(db: Prisma.TransactionClient, userId: string, id: string): Promise<boolean> {
  const { count } = await db.session.deleteMany({ where: { id, userId } });
  return count === 1;
}

/** Also forgets the devices that were trusted to skip the second factor. */
export async function endOtherSessions(
  db: Prisma.TransactionClient,
  userId: string,
  currentId: string,
): Promise<number> {
  const { count } = await db.session.deleteMany({ where: { userId, id: { not: currentId } } });
  await forgetTrustedDevices(db, userId);
  return count;
}

/** The browsers that may skip the second factor. better-auth keeps them among its verifications. */
export async function forgetTrustedDevices(db: Prisma.TransactionClient, userId: string): Promise<void> {
  await db.verification.deleteMany({ where: { value: userId, identifier: { startsWith: 'trust-device-' } } });
}
