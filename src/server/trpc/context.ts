import type { FetchCreateContextFnOptions } from '@trpc/server/adapters/fetch';
import { type Services, services } from '../services.ts';

export interface Context {
  readonly services: Services;
  readonly headers: Headers;
  readonly idempotency: {
    readonly engine: Services['engine'];
    readonly key: string | null;
    readonly callCount: number;
    readonly responseHeaders: Headers;
  };
}

export function createContext({ req, resHeaders, info }: FetchCreateContextFnOptions): Context {
  const built = services();
  return {
    services: built,
    headers: req.headers,
    idempotency: {
      engine: built.engine,
      key: req.headers.get('idempotency-key'),
      callCount: info.calls.length,
      responseHeaders: resHeaders,
    },
  };
}

/** For server-rendered pages, which ask the same procedures as the browser does and pass the same checks. */
export function createPageContext(headers: Headers): Context {
  const built = services();
  return {
    services: built,
    headers,
    idempotency: { engine: built.engine, key: null, callCount: 1, responseHeaders: new Headers() },
  };
}
