import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { retryAfterSeconds } from '../unavailable.ts';

interface RequestState {
  unavailable: boolean;
}

/** One per process. Next loads a route's modules more than once, and each would have a storage of its own. */
const slot = Symbol.for('paidonce.request-state');
const shared = globalThis as { [slot]?: AsyncLocalStorage<RequestState> };
shared[slot] ??= new AsyncLocalStorage<RequestState>();
const states = shared[slot];

/** The request that is served now cannot be, because the database does not respond. */
export function noteUnavailable(): void {
  const state = states.getStore();
  if (state) state.unavailable = true;
}

/**
 * A page, or a library, that fails because the database does not respond makes a 500 of it: neither can set another status. A
 * client, a proxy or a crawler should try again, so the status says that. Called where Node announces a request.
 */
export function respondUnavailable(response: ServerResponse): void {
  const state: RequestState = { unavailable: false };
  states.enterWith(state);
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    if (status !== 500 || !state.unavailable) return writeHead(status, ...rest);
    response.setHeader('Retry-After', retryAfterSeconds);
    return writeHead(503, ...rest.filter((one) => typeof one !== 'string'));
  };
}
