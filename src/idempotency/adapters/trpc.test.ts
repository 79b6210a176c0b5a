import { randomBytes, randomUUID } from 'node:crypto';
import { initTRPC } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../engine.ts';
import type { OperationDefinition } from '../operation.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { createMemoryStore, type MemoryTx } from '../stores/memory.ts';
import { fromVerdict, type IdempotencyContext, idempotent, ProblemError } from './trpc.ts';

/** The router of the README, with the memory store. */
function createShop(ship: (item: string, reference: string) => Promise<string>) {
  const store = createMemoryStore();
  const engine = createEngine({
    store,
    signal: store,
    cipher: createResponseCipher([{ id: '2026-11', key: randomBytes(32) }]),
    leaseMs: 30_000,
  });
  const shipOrder: OperationDefinition<MemoryTx> = {
    name: 'order.ship',
    apiVersion: '1',
    recoveryPoints: { claimed: 'unsent', label_sent: 'sent' },
    retention: { replayMs: 86_400_000, bodyMs: 86_400_000, metadataMs: 7_776_000_000 },
    checks: { firstInMs: 5_000, pausesMs: [] },
    retryAfterSeconds: 1,
    responseSchemaVersion: 1,
  };
  const t = initTRPC.context<IdempotencyContext<MemoryTx>>().create({
    errorFormatter: ({ shape, error }) => ({
      ...shape,
      data: { ...shape.data, problem: error instanceof ProblemError ? error.problem.spec.code : null },
    }),
  });
  const router = t.router({
    ship: t.procedure
      .input(z.object({ item: z.string(), express: z.boolean().default(false) }))
      .use(idempotent(shipOrder))
      .mutation(async ({ ctx, input }) => {
        await ctx.execution.phase('label_sent');
        return { label: await ship(input.item, ctx.execution.operationId) };
      }),
    shipCarefully: t.procedure
      .input(z.object({ item: z.string() }))
      .use(idempotent({ ...shipOrder, name: 'order.ship_carefully' }))
      .mutation(({ ctx, input }) =>
        fromVerdict<{ label: string }, MemoryTx>(
          ship(input.item, ctx.execution.operationId).then(
            (label) => ({ kind: 'completed', status: 201, body: { label }, cause: 'shipped' }) as const,
            () => ({ kind: 'unknown', code: 'carrier_timeout' }) as const,
          ),
        ),
      ),
  });

  return async function call(path: string, input: unknown, headers: Record<string, string> = {}) {
    const response = await fetchRequestHandler({
      endpoint: '/trpc',
      router,
      req: new Request(`http://shop.example/trpc/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(input),
      }),
      createContext: ({ req, resHeaders, info }) => ({
        scope: { tenantId: 'acme', principal: 'alice' },
        idempotency: {
          engine,
          key: req.headers.get('idempotency-key'),
          callCount: info.calls.length,
          responseHeaders: resHeaders,
        },
      }),
    });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
}

describe('the tRPC middleware', () => {
  test('runs the resolver once per key and replays its data, marked as a replay', async () => {
    const ship = vi.fn(async (item: string) => `label for ${item}`);
    const call = createShop(ship);
    const key = { 'idempotency-key': randomUUID() };
    const first = await call('ship', { item: 'kettle' }, key);
    const second = await call('ship', { express: false, item: 'kettle' }, key);
    expect(second.json).toEqual(first.json);
    expect(first.json).toEqual({ result: { data: { label: 'label for kettle' } } });
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(ship).toHaveBeenCalledTimes(1);
  });

  test('same key, other input: UNPROCESSABLE_CONTENT, and the resolver does not run', async () => {
    const ship = vi.fn(async () => 'label');
    const call = createShop(ship);
    const key = { 'idempotency-key': randomUUID() };
    await call('ship', { item: 'kettle' }, key);
    const other = await call('ship', { item: 'anvil' }, key);
    expect(other).toMatchObject({
      status: 422,
      json: { error: { data: { code: 'UNPROCESSABLE_CONTENT', problem: 'idempotency_key_reused' } } },
    });
    expect(ship).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['idempotency_key_missing', {}],
    ['idempotency_key_invalid', { 'idempotency-key': 'short' }],
  ])('%s: BAD_REQUEST, and the resolver does not run', async (problem, headers) => {
    const ship = vi.fn(async () => 'label');
    const refused = await createShop(ship)('ship', { item: 'kettle' }, headers as Record<string, string>);
    expect(refused).toMatchObject({ status: 400, json: { error: { data: { problem } } } });
    expect(ship).not.toHaveBeenCalled();
  });

  test('a resolver that throws after sending leaves the outcome unknown: a pending result, not an error, and no second run', async () => {
    const ship = vi.fn(async (): Promise<string> => {
      throw new Error('carrier hung up');
    });
    const call = createShop(ship);
    const key = { 'idempotency-key': randomUUID() };
    const first = await call('ship', { item: 'kettle' }, key);
    const second = await call('ship', { item: 'kettle' }, key);
    expect(first).toMatchObject({
      status: 200,
      json: { result: { data: { status: 'pending', code: 'operation_unknown' } } },
    });
    expect(second.json).toEqual(first.json);
    expect(ship).toHaveBeenCalledTimes(1);
  });

  test('a verdict passed with fromVerdict() is the result', async () => {
    const call = createShop(async () => Promise.reject(new Error('no response')));
    const pending = await call('shipCarefully', { item: 'kettle' }, { 'idempotency-key': randomUUID() });
    expect(pending.json).toMatchObject({ result: { data: { status: 'pending' } } });
  });

  test('several idempotent calls in one batch are refused: one header cannot name them all', async () => {
    const ship = vi.fn(async () => 'label');
    const call = createShop(ship);
    const batch = { 0: { item: 'kettle' }, 1: { item: 'anvil' } };
    const refused = await call('ship,ship?batch=1', batch, { 'idempotency-key': randomUUID() });
    expect(JSON.stringify(refused.json)).toContain('idempotency_call_batched');
    expect(ship).not.toHaveBeenCalled();
  });

  test('input that does not validate creates no record: the corrected request may use the same key', async () => {
    const call = createShop(async () => 'label');
    const key = { 'idempotency-key': randomUUID() };
    expect((await call('ship', { item: 42 }, key)).status).toBe(400);
    expect((await call('ship', { item: 'kettle' }, key)).status).toBe(200);
  });
});
