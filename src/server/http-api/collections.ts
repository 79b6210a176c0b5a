import { z } from 'zod';
import { problemResponse } from '#idempotency/adapters/fetch.ts';
import { operationKinds } from '#payments/index.ts';
import type { Services } from '../services.ts';
import { asCaller, idempotentPost, linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';

/** `POST /api/v1/<collection>`: executes the operation that makes things of this collection. */
export function postToCollection(
  services: Services,
  request: Request,
  collection: string,
): Promise<Response> {
  const kind = kindOfCollection(collection);
  if (!kind) return asCaller(services, request, async () => notFound(services));
  const { provider, db } = services;
  const { describePending } = kind.http;
  return idempotentPost(services, request, {
    body: kind.command,
    operation: kind.definition,
    handler: (command) => (execution) => kind.handle(provider, execution, command),
    ...(describePending && { describePending: (operation) => describePending(db, operation) }),
  });
}

/** `GET /api/v1/<collection>/<id>`: what an operation made, as it is now. */
export function readFromCollection(
  services: Services,
  request: Request,
  collection: string,
  id: string,
): Promise<Response> {
  return asCaller(services, request, async ({ tenantId }) => {
    const read = kindOfCollection(collection)?.http.read;
    const found = z.uuid().safeParse(id).success ? await read?.find(services.db, tenantId, id) : undefined;
    return found ? Response.json(found) : notFound(services);
  });
}

function kindOfCollection(collection: string) {
  return operationKinds.find(({ http }) => http.collection === collection);
}

function notFound(services: Services): Response {
  return problemResponse({ spec: apiProblems.not_found }, linksOf(services));
}
