/** Whether the browser has a session, which may be over. The name has a prefix on https. */
export function hasSessionCookie(cookie: string | null): boolean {
  return /(?:^|;\s*)(?:__Secure-)?better-auth\.session_token=[^;]/.test(cookie ?? '');
}
