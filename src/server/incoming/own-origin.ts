/**
 * Whether a request comes from a page of ours. Browsers send cookies along with requests that other sites make, and say
 * where a request comes from; a program without a browser says nothing and has no cookies that are not its own.
 */
export function isFromOwnPage(request: Request, publicUrl: string): boolean {
  const origin = request.headers.get('origin');
  if (origin !== null) return isOwnOrigin(request, origin, publicUrl);
  const site = request.headers.get('sec-fetch-site');
  return site === null || site === 'same-origin' || site === 'none';
}

/**
 * For a GET that does something, such as an export. Links send no Origin, so a browser has to say that the link is on a
 * page of ours or that the address was typed.
 */
export function isFollowedFromOwnPage(request: Request, publicUrl: string): boolean {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin' || site === 'none';
  const referrer = request.headers.get('referer');
  return referrer !== null && isOwnOrigin(request, referrer, publicUrl);
}

/** The installation's own address, or the host that was asked: without a proxy a shop may be opened by several names. */
function isOwnOrigin(request: Request, text: string, publicUrl: string): boolean {
  const from = URL.parse(text);
  if (!from) return false;
  return from.origin === new URL(publicUrl).origin || from.host === request.headers.get('host');
}
