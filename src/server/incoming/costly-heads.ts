import type { Server } from 'node:http';
import { wrapListeners } from './wrap-listeners.ts';

/** The addresses of our pages and of the provider have a handful of them, and a search of the console a few dozen. */
export const maxParameters = 200;

/** Browsers send a hundred or two hundred characters. */
export const maxUserAgentLength = 512;

/**
 * What Next reads of a head takes it time that grows with the square of the length. With the sixteen kilobytes that Node
 * admits, one request with 8,000 parameters stopped the process for five seconds, and one User-Agent without spaces, in which
 * Next looks for names of crawlers, for one. So such a query is refused before Next sees it, and such a name is cut.
 */
export function refuseCostlyHeads(server: Server): void {
  wrapListeners(server, (request, response, serve) => {
    const { headers, url = '' } = request;
    if (hasTooManyParameters(url)) {
      // What was sent of a body is not read, so the connection cannot be used again.
      response.writeHead(414, {
        'Content-Type': 'text/plain',
        'Cache-Control': 'no-store',
        Connection: 'close',
      });
      response.end('The address has too many parameters.');
      return;
    }
    const agent = headers['user-agent'];
    if (agent && agent.length > maxUserAgentLength)
      headers['user-agent'] = agent.slice(0, maxUserAgentLength);
    serve();
  });
}

function hasTooManyParameters(url: string): boolean {
  let found = 1;
  for (let at = url.indexOf('&'); at >= 0 && found <= maxParameters; at = url.indexOf('&', at + 1))
    found += 1;
  return found > maxParameters;
}
