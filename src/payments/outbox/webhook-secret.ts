import { randomBytes } from 'node:crypto';
import type { ResponseCipher } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { isRow, type TenantRow } from './tenant-row.ts';

/** Standard Webhooks asks for 24 to 64 random bytes, in base64 behind this prefix. */
export function mintSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * How long the old secret signs too. A day is enough to deploy the new one in office hours of any time zone; a longer time
 * would only make it easier to forget.
 */
export const rotationHours = 24;

/** The columns of a secret. */
interface SealedSecret {
  readonly secret: Uint8Array<ArrayBuffer>;
  readonly secretKey: string;
}

/** Bound to the endpoint's id: copied to another row, it does not open. */
export function sealSecret(cipher: ResponseCipher, endpointId: string, secret: string): SealedSecret {
  const { keyId, body } = cipher.seal(endpointId, secret);
  return { secret: Uint8Array.from(body), secretKey: keyId };
}

export interface EndpointSecrets {
  readonly secret: Uint8Array;
  readonly secretKey: string;
  readonly oldSecret: Uint8Array | null;
  readonly oldSecretKey: string | null;
  /** By the database's clock. Null when there is no old secret. */
  readonly oldIsOver: boolean | null;
}

/**
 * The secrets that sign now, in the clear: the current one first. One that an older key sealed is sealed again, so that
 * keys can be retired, and an old secret that no longer signs is deleted.
 */
export async function openSecrets(
  db: Prisma.TransactionClient,
  cipher: ResponseCipher,
  endpoint: TenantRow,
  sealed: EndpointSecrets,
): Promise<readonly string[]> {
  const current = cipher.open(endpoint.id, { keyId: sealed.secretKey, body: sealed.secret });
  const old =
    sealed.oldSecret && sealed.oldSecretKey && !sealed.oldIsOver
      ? cipher.open(endpoint.id, { keyId: sealed.oldSecretKey, body: sealed.oldSecret })
      : undefined;
  const again = sealSecret(cipher, endpoint.id, current);
  if (again.secretKey !== sealed.secretKey) {
    // Only the bytes that were read: a rotation meanwhile has its own.
    await db.$executeRaw`
      UPDATE merchant_webhook_endpoint SET secret = ${again.secret}, secret_key = ${again.secretKey}
      WHERE ${isRow(endpoint)} AND secret = ${Uint8Array.from(sealed.secret)}`;
  }
  if (sealed.oldIsOver) {
    await db.$executeRaw`
      UPDATE merchant_webhook_endpoint SET old_secret = NULL, old_secret_key = NULL, old_secret_until = NULL
      WHERE ${isRow(endpoint)} AND old_secret_until <= clock_timestamp()`;
  }
  return old === undefined ? [current] : [current, old];
}

/** The current secret becomes the old one, without being opened. Undefined: there is no such endpoint. */
export async function rotateSecret(
  tx: Prisma.TransactionClient,
  endpoint: TenantRow,
  cipher: ResponseCipher,
): Promise<{ readonly url: string; readonly secret: string; readonly oldUntil: Date } | undefined> {
  const secret = mintSecret();
  const sealed = sealSecret(cipher, endpoint.id, secret);
  const [rotated] = await tx.$queryRaw<{ url: string; oldUntil: Date }[]>`
    UPDATE merchant_webhook_endpoint SET secret = ${sealed.secret}, secret_key = ${sealed.secretKey},
      old_secret = secret, old_secret_key = secret_key,
      old_secret_until = clock_timestamp() + ${rotationHours}::int * interval '1 hour'
    WHERE ${isRow(endpoint)} AND removed_at IS NULL
    RETURNING url, old_secret_until AS "oldUntil"`;
  return rotated && { ...rotated, secret };
}
