import type { Prisma } from '#prisma';

/**
 * What a person has to prove when they sign in, as one value: another one after a new password or a reset, and after the second factor
 * was turned on or off. Undefined: there is no account.
 */
export async function readCredentials(
  db: Prisma.TransactionClient,
  email: string,
): Promise<string | undefined> {
  const [row] = await db.$queryRaw<{ value: string }[]>`
    SELECT md5(concat_ws(' ', a.id, a.password, u.two_factor_enabled)) AS value
    FROM "user" u JOIN account a ON a.user_id = u.id AND a.provider_id = 'credential'
    WHERE u.email = ${email.trim().toLowerCase()}`;
  return row?.value;
}
