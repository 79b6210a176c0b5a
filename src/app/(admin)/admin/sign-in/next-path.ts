/**
 * The page to open after signing in: a path of the console on this site. A link must not send a person who has just
 * signed in to another site, so everything else leads to the overview.
 */
export function nextPath(next: unknown): string {
  const start = '/admin';
  if (typeof next !== 'string' || next.length > 2_000) return start;
  // Browsers read a backslash as a slash, drop tabs and line breaks, and read two slashes as another site.
  if (!/^\/admin(?:[/?]|$)/.test(next) || /[\\\s]|\/\//.test(next.split('?')[0] ?? '')) return start;
  const { origin, pathname, search } = new URL(next, 'http://here.invalid');
  if (origin !== 'http://here.invalid' || !/^\/admin(?:\/|$)/.test(pathname)) return start;
  return pathname.startsWith('/admin/sign-in') ? start : pathname + search;
}
