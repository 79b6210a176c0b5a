import type { FetchCreateContextFnOptions } from '@trpc/server/adapters/fetch';
import { type House, house } from '../services.ts';

export interface Context {
  readonly house: House;
  readonly headers: Headers;
  readonly idempotency: {
    readonly engine: House['engine'];
    readonly key: string | null;
    readonly callCount: number;
    readonly responseHeaders: Headers;
  };
}

export function createContext({ req, resHeaders, info }: FetchCreateContextFnOptions): Context {
  const built = house();
  return {
    house: built,
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
  const built = house();
  return {
    house: built,
    headers,
    idempotency: { engine: built.engine, key: null, callCount: 1, responseHeaders: new Headers() },
  };
}
