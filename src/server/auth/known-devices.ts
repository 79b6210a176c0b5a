import { createHash, randomBytes } from 'node:crypto';
import { forgetTrustedDevices } from '#console/members/own-account.ts';
import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

/**
 * A browser in which a person has signed in before has a count of wrong tries of its own, so that strangers who guess
 * elsewhere cannot lock that person out. The cookie proves nothing else: without the password it opens nothing.
 */
export const deviceCookie = { name: 'device', maxAge: 180 * 24 * 3_600 } as const;

export function mintDeviceId(): string {
  return randomBytes(32).toString('base64url');
}

/** By the e-mail address that was typed, or by the id of a person who has passed the first step. */
export async function isKnownDevice(db: Tx, who: string, deviceId: string): Promise<boolean> {
  const [found] = await db.$queryRaw<{ known: boolean }[]>`
    SELECT EXISTS (
      SELECT FROM known_device k JOIN "user" u ON u.id = k.user_id
      WHERE k.device_hash = ${hashOf(deviceId)} AND (u.id = ${who} OR u.email = ${who.trim().toLowerCase()})
        AND k.seen_at > clock_timestamp() - ${deviceCookie.maxAge}::int * interval '1 second'
    ) AS known`;
  return found?.known ?? false;
}

export async function rememberDevice(db: Tx, userId: string, deviceId: string): Promise<void> {
  await db.$executeRaw`
    INSERT INTO known_device (user_id, device_hash, seen_at)
    VALUES (${userId}, ${hashOf(deviceId)}, clock_timestamp())
    ON CONFLICT (user_id, device_hash) DO UPDATE SET seen_at = clock_timestamp()`;
}

/** After a new password or a second factor that was reset, every browser has to prove itself again. */
export async function forgetDevices(db: Tx, userId: string): Promise<void> {
  await db.knownDevice.deleteMany({ where: { userId } });
  await forgetTrustedDevices(db, userId);
  // Sign-ins that have passed the password's step and wait for a code; better-auth keeps them for ten minutes.
  await db.verification.deleteMany({ where: { value: userId, identifier: { startsWith: '2fa-' } } });
}

function hashOf(deviceId: string): string {
  return createHash('sha256').update(deviceId).digest('hex');
}
