import type { FetchCreateContextFnOptions } from '@trpc/server/adapters/fetch';
import { isAPIError } from 'better-auth/api';
import { listMemberships, type Membership } from '#console/members/membership.ts';
import { endSession } from '#console/members/own-account.ts';
import { StoreUnavailable } from '#idempotency/index.ts';
import { readSessionState } from '../auth/session-state.ts';
import type { Auth } from '../auth.ts';
import { clientAddressOf } from '../incoming/client-address.ts';
import { type Services, services } from '../services.ts';

export interface Context {
  readonly services: Services;
  readonly headers: Headers;
  readonly identity: IdentityReads;
  /** Never shared: for what goes on after its request was admitted. */
  readonly identityNow: IdentityReads;
  readonly clientAddress: string;
  readonly idempotency: {
    readonly engine: Services['engine'];
    readonly key: string | null;
    readonly callCount: number;
    readonly responseHeaders: Headers;
  };
}

/** What is read about the person who calls, by their cookie. */
export interface IdentityReads {
  session(): Promise<CurrentSession | null>;
  memberships(userId: string): Promise<readonly Membership[]>;
}

type CurrentSession = NonNullable<Awaited<ReturnType<Auth['api']['getSession']>>> & {
  readonly confirmed: boolean;
};

function identityReads({ auth, db }: Services, headers: Headers): IdentityReads {
  return {
    async session() {
      const { api } = await auth();
      const found = await api.getSession({ headers }).catch(rethrowUnavailable);
      if (!found) return null;
      const { over, confirmed } = await readSessionState(db, found.session.id);
      if (!over) return { ...found, confirmed };
      await endSession(db, found.user.id, found.session.id);
      return null;
    },
    memberships: (userId) => listMemberships(db, userId),
  };
}

/** better-auth hides the reason why it could not read a session, and it reads it from the database only. */
function rethrowUnavailable(error: unknown): never {
  const isHidden = isAPIError(error) && error.body?.code === 'FAILED_TO_GET_SESSION';
  throw isHidden ? new StoreUnavailable(error) : error;
}

/** For a context that serves one request or one rendering: all its calls share one read of the session and memberships. */
export function readingIdentityOnce(context: Context): Context {
  const { identity } = context;
  const memberships = new Map<string, ReturnType<IdentityReads['memberships']>>();
  let session: ReturnType<IdentityReads['session']> | undefined;
  return {
    ...context,
    identity: {
      session() {
        session ??= identity.session();
        return session;
      },
      memberships(userId) {
        const known = memberships.get(userId) ?? identity.memberships(userId);
        memberships.set(userId, known);
        return known;
      },
    },
  };
}

export function createContext({ req, resHeaders, info }: FetchCreateContextFnOptions): Context {
  const built = services();
  const identity = identityReads(built, req.headers);
  return readingIdentityOnce({
    services: built,
    headers: req.headers,
    identity,
    identityNow: identity,
    clientAddress: clientAddressOf(req.headers),
    idempotency: {
      engine: built.engine,
      key: req.headers.get('idempotency-key'),
      callCount: info.calls.length,
      responseHeaders: resHeaders,
    },
  });
}

/** For server-rendered pages, which ask the same procedures as the browser does and pass the same checks. */
export function createPageContext(headers: Headers): Context {
  const built = services();
  const identity = identityReads(built, headers);
  return {
    services: built,
    headers,
    identity,
    identityNow: identity,
    clientAddress: clientAddressOf(headers),
    idempotency: { engine: built.engine, key: null, callCount: 1, responseHeaders: new Headers() },
  };
}
