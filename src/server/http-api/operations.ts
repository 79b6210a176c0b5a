import { z } from 'zod';
import { problemResponse } from '#idempotency/adapters/fetch.ts';
import { type OperationRecord, operationRefOf, readBody, readKeyHeader } from '#idempotency/index.ts';
import { findKind } from '#payments/index.ts';
import { operationNames } from '#payments/operations/copy.ts';
import type { Services } from '../services.ts';
import { asReader, invalid, linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';
import type { ApiRequest } from './request.ts';
import type { operationView } from './schemas.ts';

/** By id: for every caller of the tenant. */
export function getOperation(services: Services, request: ApiRequest, id: string): Promise<Response> {
  return asReader(services, request, [], async ({ tenantId }) => {
    const record = z.uuid().safeParse(id).success
      ? await services.store.findById({ tenantId, id })
      : undefined;
    if (!record) return problemResponse({ spec: apiProblems.not_found }, linksOf(services));
    return Response.json(view(services, await services.onStatusRead(record)));
  });
}

/** By key: only for the principal that used it. For other principals the key does not exist. */
export function findOperations(services: Services, request: ApiRequest): Promise<Response> {
  return asReader(services, request, ['key'], async ({ tenantId, principal }) => {
    // As in the header: a key that cannot have been used must not look like one that was not.
    const read = readKeyHeader(new URL(request.url).searchParams.getAll('key'));
    if (read.kind !== 'key') {
      return problemResponse(
        invalid('key: one idempotency key of 16 to 255 characters').problem,
        linksOf(services),
      );
    }
    const { key } = read;
    const found = await Promise.all(
      operationNames.map((operation) =>
        services.store.findById(operationRefOf({ tenantId, operation, key })),
      ),
    );
    const own = found.filter((record) => record?.principal === principal) as OperationRecord[];
    const records = await Promise.all(own.map((record) => services.onStatusRead(record)));
    return Response.json({ data: records.map((record) => view(services, record)) });
  });
}

function view(services: Services, record: OperationRecord): z.input<typeof operationView> {
  const kind = findKind(record.operation);
  const response = kind && services.engine.storedResponse(kind.definition, record);
  return {
    operationId: record.id,
    operation: record.operation,
    status: record.status,
    attempt: record.attempt,
    errorCode: record.lastErrorCode ?? null,
    resource: record.resource ?? null,
    response: response ? { status: response.status, body: readBody(response.body) ?? null } : null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    completedAt: record.completedAt?.toISOString() ?? null,
  };
}
