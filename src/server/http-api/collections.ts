import { z } from 'zod';
import { apiKinds } from '#payments/index.ts';
import type { Services } from '../services.ts';
import { asCaller, asReader, idempotentPost } from './handle.ts';
import { notFound, refuseMethod } from './refuse-method.ts';
import type { ApiRequest } from './request.ts';

/** `POST /api/v1/<collection>`: executes the operation that makes things of this collection. */
export function postToCollection(
  services: Services,
  request: ApiRequest,
  collection: string,
): Promise<Response> {
  const kind = kindOfCollection(collection);
  if (!kind) return asCaller(services, request, 'read', async () => notFound(services));
  const { provider, db, checkPurchase } = services;
  const { describePending } = kind.http;
  return idempotentPost(services, request, {
    body: kind.command,
    scope: kind.http.scope,
    operation: kind.definition,
    ...(kind.atClaim && { atClaim: kind.atClaim }),
    handler: (command) => (execution) => kind.handle(provider, execution, command, checkPurchase),
    ...(describePending && { describePending: (operation) => describePending(db, operation) }),
  });
}

/** `GET /api/v1/<collection>/<id>`: what an operation made, as it is now. */
export function readFromCollection(
  services: Services,
  request: ApiRequest,
  collection: string,
  id: string,
): Promise<Response> {
  const read = kindOfCollection(collection)?.http.read;
  if (!read) return asCaller(services, request, 'read', async () => notFound(services));
  return asReader(services, request, [], async ({ tenantId }) => {
    const found = z.uuid().safeParse(id).success ? await read.find(services.db, tenantId, id) : undefined;
    return found ? Response.json(found) : notFound(services);
  });
}

/** Other methods on a collection, or on what is in it. */
export function refuseOnCollection(
  services: Services,
  collection: string,
  allowed: 'GET' | 'POST',
): Response {
  const kind = kindOfCollection(collection);
  const exists = kind && (allowed === 'POST' || kind.http.read);
  return exists ? refuseMethod(services, allowed) : notFound(services);
}

function kindOfCollection(collection: string) {
  return apiKinds.find(({ http }) => http.collection === collection);
}
