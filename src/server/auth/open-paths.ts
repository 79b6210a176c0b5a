/**
 * What the browser may ask of better-auth, and nothing else: a list of what is allowed stays true when a new version or
 * a plugin brings new endpoints. Everything about members, invitations and tenants goes through our own procedures.
 */
const open = new Set([
  '/sign-in/email',
  '/sign-out',
  '/change-password',
  '/two-factor/enable',
  '/two-factor/disable',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/two-factor/generate-backup-codes',
]);

export function isOpen(request: Request): boolean {
  const { pathname } = new URL(request.url);
  return request.method === 'POST' && pathname.startsWith('/api/auth') && open.has(pathname.slice(9));
}
