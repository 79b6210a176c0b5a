import { z } from 'zod';
import { problemResponse } from '#idempotency/adapters/fetch.ts';
import { checkKey, type OperationRecord } from '#idempotency/index.ts';
import { createPaymentOperation, createRefundOperation } from '#payments/index.ts';
import type { House } from '../services.ts';
import { asCaller, invalid, linksOf } from './handle.ts';
import { apiProblems } from './problems.ts';
import type { operationView } from './schemas.ts';

const definitions = new Map(
  [createPaymentOperation, createRefundOperation].map((operation) => [operation.name, operation]),
);

/** By id: whoever acts for the tenant may see it; the id is not something one can guess. */
export function getOperation(house: House, request: Request, id: string): Promise<Response> {
  return asCaller(house, request, async ({ tenantId }) => {
    const record = z.uuid().safeParse(id).success ? await house.store.findById(id) : undefined;
    if (record?.tenantId !== tenantId)
      return problemResponse({ spec: apiProblems.not_found }, linksOf(house));
    return Response.json(view(house, await house.seen(record)));
  });
}

/** By key: only for the principal that used it. To anybody else the key does not exist. */
export function findOperations(house: House, request: Request): Promise<Response> {
  return asCaller(house, request, async ({ tenantId, principal }) => {
    const key = new URL(request.url).searchParams.get('key') ?? '';
    if (checkKey(key).kind !== 'key') {
      return problemResponse(
        invalid('key: an idempotency key of 16 to 255 characters').problem,
        linksOf(house),
      );
    }
    const found = await Promise.all(
      [...definitions.keys()].map((operation) => house.store.find({ tenantId, operation, key })),
    );
    const own = found.filter((record) => record?.principal === principal) as OperationRecord[];
    const seen = await Promise.all(own.map((record) => house.seen(record)));
    return Response.json({ data: seen.map((record) => view(house, record)) });
  });
}

function view(house: House, record: OperationRecord): z.input<typeof operationView> {
  const definition = definitions.get(record.operation);
  const answer = definition ? house.engine.open(definition, record) : undefined;
  return {
    operationId: record.id,
    operation: record.operation,
    status: record.status,
    attempt: record.attempt,
    errorCode: record.lastErrorCode ?? null,
    resource: record.resource ?? null,
    answer: answer ? { status: answer.status, body: JSON.parse(answer.body) } : null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    completedAt: record.completedAt?.toISOString() ?? null,
  };
}
