import { randomBytes, randomUUID } from 'node:crypto';
import { createTRPCClient, httpBatchStreamLink, httpLink } from '@trpc/client';
import { type AnyTRPCRouter, type inferRouterOutputs, initTRPC, TRPCError } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import superjson from 'superjson';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../engine.ts';
import type { EngineEvent } from '../events.ts';
import type { OperationDefinition } from '../operation.ts';
import { operationRefOf } from '../operation-id.ts';
import { createResponseCipher } from '../response-cipher.ts';
import { createMemoryStore, type MemoryTx } from '../stores/memory.ts';
import { fromVerdict, type IdempotencyContext, idempotent, type Pending, ProblemError } from './trpc.ts';

const definition: OperationDefinition<MemoryTx> = {
  name: 'order.ship',
  apiVersion: '1',
  recoveryPoints: { claimed: 'unsent', label_sent: 'sent' },
  retention: { replayMs: 86_400_000, bodyMs: 86_400_000, metadataMs: 7_776_000_000 },
  checks: { firstInMs: 5_000, pausesMs: [] },
  retryAfterSeconds: 1,
  responseSchemaVersion: 1,
};

/** A router with the memory store behind tRPC's HTTP handler. */
function serve<Router extends AnyTRPCRouter>(
  router: Router,
  headersOf = (headers: Headers): Pick<Headers, 'set'> => headers,
) {
  const store = createMemoryStore();
  const events: EngineEvent[] = [];
  const engine = createEngine({
    store,
    signal: store,
    cipher: createResponseCipher([{ id: '2026-11', key: randomBytes(32) }]),
    leaseMs: 30_000,
    observe: (event) => events.push(event),
  });
  const respond = (req: Request) =>
    fetchRequestHandler({
      endpoint: '/trpc',
      router,
      req,
      createContext: ({ resHeaders, info }) => ({
        caller: { tenantId: 'acme', principal: 'alice' },
        idempotency: {
          engine,
          key: req.headers.get('idempotency-key'),
          callCount: info.calls.length,
          responseHeaders: headersOf(resHeaders),
        },
      }),
    });
  return {
    store,
    engine,
    errors: () => events.filter(({ kind }) => kind === 'handler_error'),
    /** For links of a client. */
    http: {
      url: 'http://shop.example/trpc',
      fetch: (url: RequestInfo | URL | string, init?: object) => respond(new Request(url as string, init)),
    },
    async call(path: string, input: unknown, headers: Record<string, string> = {}) {
      const response = await respond(
        new Request(`http://shop.example/trpc/${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(input),
        }),
      );
      return { status: response.status, headers: response.headers, json: await response.json() };
    },
  };
}

const t = initTRPC.context<IdempotencyContext<MemoryTx>>().create({
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    data: {
      ...shape.data,
      problem: error instanceof ProblemError ? error.problem.spec.code : null,
      cause: error.cause?.message ?? null,
    },
  }),
});

type Ship = (item: string, reference: string) => Promise<string>;

function createRouter(ship: Ship, over: Partial<typeof definition> = {}) {
  return t.router({
    ship: t.procedure
      .input(z.object({ item: z.string(), express: z.boolean().default(false) }))
      .use(idempotent({ ...definition, ...over }))
      .mutation(({ ctx, input }) =>
        ctx.once(async (execution) => {
          await execution.phase('label_sent');
          return { label: await ship(input.item, execution.operationId) };
        }),
      ),
    shipCarefully: t.procedure
      .input(z.object({ item: z.string() }))
      .use(idempotent({ ...definition, name: 'order.ship_carefully' }))
      .mutation(({ ctx, input }) =>
        ctx.once((execution) =>
          fromVerdict(
            ship(input.item, execution.operationId).then(
              (label) => ({ kind: 'completed', status: 201, body: { label }, cause: 'shipped' }) as const,
              () => ({ kind: 'unknown', code: 'carrier_timeout' }) as const,
            ),
          ),
        ),
      ),
    /** Throws before anything is sent. */
    prepare: t.procedure
      .input(z.object({ item: z.string() }))
      .use(idempotent({ ...definition, name: 'order.prepare' }))
      .mutation(({ ctx, input }) =>
        ctx.once(async (execution) => ({ label: await ship(input.item, execution.operationId) })),
      ),
  });
}

async function* chunks() {
  yield 'a part';
}

const createShop = (ship: Ship) => serve(createRouter(ship)).call;

describe('the router’s transformer', () => {
  const s = initTRPC.context<IdempotencyContext<MemoryTx>>().create({ transformer: superjson });
  const everything = () => ({
    at: new Date('2026-11-17T12:00:00Z'),
    big: 12n,
    nothing: undefined,
    map: new Map([['a', new Set([1n])]]),
  });

  function createClient(run: (tags: unknown) => unknown) {
    const anything = z.custom<ReturnType<typeof everything> | FormData>();
    const router = s.router({
      ship: s.procedure
        .input(anything)
        .use(idempotent(definition, superjson))
        .mutation(({ ctx, input }) => ctx.once(() => run(input))),
      cancel: s.procedure
        .use(idempotent({ ...definition, name: 'order.cancel' }, superjson))
        .mutation(({ ctx }) => ctx.once((): void => void run(undefined))),
    });
    const { http } = serve(router);
    return createTRPCClient<typeof router>({
      links: [
        httpLink({
          ...http,
          transformer: superjson,
          headers: ({ op }) => ({ 'Idempotency-Key': String(op.context.idempotencyKey) }),
        }),
      ],
    });
  }
  const withKey = (idempotencyKey = randomUUID() as string) => ({ context: { idempotencyKey } });

  test('a Date, a BigInt, undefined, a Map and a Set are what they were, first and in a replay', async () => {
    const run = vi.fn(everything);
    const [client, key] = [createClient(run), withKey()];
    for (let n = 0; n < 2; n += 1) {
      const result = await client.ship.mutate(everything(), key);
      expect(result).toStrictEqual(everything());
    }
    expect(run).toHaveBeenCalledTimes(1);
    expect(run).toHaveBeenCalledWith(everything());
  });

  test('a resolver that returns nothing runs once', async () => {
    const run = vi.fn();
    const [client, key] = [createClient(run), withKey()];
    expect([await client.cancel.mutate(undefined, key), await client.cancel.mutate(undefined, key)]).toEqual([
      undefined,
      undefined,
    ]);
    expect(run).toHaveBeenCalledTimes(1);
  });

  describe('of an operation that evidence has completed', () => {
    const ship = s.procedure.use(idempotent(definition, superjson)).mutation(({ ctx }) =>
      ctx.once(async (execution): Promise<Date> => {
        await execution.phase('label_sent');
        throw new Error('no response');
      }),
    );

    async function retryAfter(body: unknown) {
      const { call, store, engine } = serve(s.router({ ship }));
      const key = { 'idempotency-key': randomUUID() };
      await call('ship', undefined, key);
      const ref = { tenantId: 'acme', operation: definition.name, key: key['idempotency-key'] };
      const record = await store.findById(operationRefOf(ref));
      if (!record) throw new Error('There is no record.');
      const verdict = { kind: 'completed', status: 200, body, cause: 'carrier_lookup' } as const;
      await engine.resolve(definition, record, verdict, 'poller');
      return call('ship', undefined, key);
    }

    test('a result that the transformer wrote is what it was', async () => {
      const written = superjson.serialize(everything().at);
      expect(await retryAfter(written)).toMatchObject({ json: { result: { data: written } } });
    });

    test('a result that the transformer did not write is an error, and not nothing', async () => {
      expect((await retryAfter({ label: 'L1' })).status).toBe(500);
    });
  });

  test('a result that the transformer cannot write never lets the resolver run again', async () => {
    const run = vi.fn(() => 'shipped');
    const broken = {
      serialize: () => {
        throw new Error('no form for it');
      },
      deserialize: (json: unknown) => json,
    };
    const ship = t.procedure.use(idempotent(definition, broken)).mutation(({ ctx }) => ctx.once(run));
    const { call } = serve(t.router({ ship }));
    const key = { 'idempotency-key': randomUUID() };
    for (let n = 0; n < 2; n += 1) {
      expect(await call('ship', undefined, key)).toMatchObject({
        json: { error: { data: { problem: 'response_not_storable' } } },
      });
    }
    expect(run).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['a stream', () => chunks()],
    ['a promise within it', () => ({ later: Promise.resolve(1) })],
    ['a stream within it', () => ({ log: new ReadableStream() })],
    ['a promise deep within it', () => ({ lines: [{ price: { later: Promise.resolve(1) } }] })],
  ])(
    'a result with %s, of which nothing can be replayed, never lets the resolver run again',
    async (_, result) => {
      const run = vi.fn(result);
      const ship = t.procedure
        .use(idempotent(definition))
        .mutation(({ ctx }) => ctx.once(run as () => unknown));
      const { call } = serve(t.router({ ship }));
      const key = { 'idempotency-key': randomUUID() };
      for (let n = 0; n < 2; n += 1) {
        expect(await call('ship', undefined, key)).toMatchObject({
          json: { error: { data: { problem: 'response_not_storable' } } },
        });
      }
      expect(run).toHaveBeenCalledTimes(1);
    },
  );

  test.each([
    ['BigInt', { big: 13n }],
    ['Date', { at: new Date(0) }],
    ['Map', { map: new Map([['a', new Set([2n])]]) }],
  ])('another %s under the same key is another command', async (_, other) => {
    const run = vi.fn(everything);
    const [client, key] = [createClient(run), withKey()];
    await client.ship.mutate(everything(), key);
    await expect(client.ship.mutate({ ...everything(), ...other }, key)).rejects.toMatchObject({
      data: { code: 'UNPROCESSABLE_CONTENT' },
    });
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an undefined field and a missing one are the same command', async () => {
    const client = createClient(everything);
    const key = withKey();
    await client.ship.mutate(everything(), key);
    const { nothing: _, ...rest } = everything();
    expect(await client.ship.mutate(rest as ReturnType<typeof everything>, key)).toStrictEqual(everything());
  });

  test('what the transformer cannot write, such as a form with a file, is refused before the claim', async () => {
    const run = vi.fn(everything);
    const form = new FormData();
    form.set('scan', new File(['x'], 'x.txt'));
    await expect(createClient(run).ship.mutate(form, withKey())).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST' },
    });
    expect(run).not.toHaveBeenCalled();
  });
});

describe('the types of a procedure', () => {
  type Output = inferRouterOutputs<ReturnType<typeof createRouter>>;

  test('say that a call may be pending, also if its resolver returns plain data', () => {
    expectTypeOf<Output['ship']>().toEqualTypeOf<{ label: string } | Pending>();
    expectTypeOf<Output['shipCarefully']>().toEqualTypeOf<{ readonly label: string } | Pending>();
  });

  const shipped = z.object({ label: z.string() });
  const pending = z.object({
    status: z.literal('pending'),
    code: z.enum(['operation_unknown', 'operation_in_progress']),
    operationId: z.string(),
  });

  test('an output schema validates what the client gets, first, replayed and pending', async () => {
    const run = vi.fn(async () => ({ label: 'l', internal: 'secret' }));
    const router = t.router({
      ship: t.procedure
        .output(z.union([shipped, pending]))
        .use(idempotent(definition))
        .mutation(({ ctx }) => ctx.once(run)),
      lose: t.procedure
        .use(idempotent({ ...definition, name: 'order.lose' }))
        .output(z.union([shipped, pending]))
        .mutation(({ ctx }) =>
          ctx.once(async (execution): Promise<{ label: string }> => {
            await execution.phase('label_sent');
            throw new Error('carrier hung up');
          }),
        ),
    });
    const { call } = serve(router);
    const key = { 'idempotency-key': randomUUID() };
    for (let n = 0; n < 2; n += 1) {
      expect((await call('ship', undefined, key)).json).toEqual({ result: { data: { label: 'l' } } });
      expect((await call('lose', undefined, key)).json).toMatchObject({
        result: { data: { status: 'pending' } },
      });
    }
    expect(run).toHaveBeenCalledTimes(1);
  });

  test('an output schema that has no place for a pending call does not compile', () => {
    const procedure = t.procedure.output(shipped).use(idempotent(definition));
    // @ts-expect-error Pending is missing in the schema.
    procedure.mutation(({ ctx }) => ctx.once(async () => ({ label: 'l' })));
  });
});

describe('a procedure that is put together wrongly', () => {
  const key = { 'idempotency-key': randomUUID() };

  test('with the middleware before the input parser: refused, because all inputs would be the same command', async () => {
    const run = vi.fn(async () => ({ label: 'l' }));
    const router = t.router({
      ship: t.procedure
        .use(idempotent(definition))
        .input(z.object({ item: z.string() }))
        .mutation(({ ctx }) => ctx.once(run)),
    });
    const { status, json } = await serve(router).call('ship', { item: 'kettle' }, key);
    expect([status, json.error.data.cause]).toEqual([500, expect.stringContaining('after the procedure')]);
    expect(run).not.toHaveBeenCalled();
  });

  test('with the middleware between two input parsers: refused, because the second one’s fields would not be compared', async () => {
    const run = vi.fn(async () => ({ label: 'l' }));
    const router = t.router({
      ship: t.procedure
        .input(z.object({ item: z.string() }))
        .use(idempotent(definition))
        .input(z.object({ count: z.number() }))
        .mutation(({ ctx }) => ctx.once(run)),
    });
    const { status, json } = await serve(router).call('ship', { item: 'kettle', count: 1 }, key);
    expect([status, json.error.data.cause]).toEqual([500, expect.stringContaining('after the procedure')]);
    expect(run).not.toHaveBeenCalled();
  });

  test('with a resolver that returns its result without ctx.once: refused, because nothing was protected', async () => {
    const router = t.router({
      ship: t.procedure.use(idempotent(definition)).mutation(() => ({ label: 'l' })),
    });
    const { status, json } = await serve(router).call('ship', undefined, key);
    expect([status, json.error.data.cause]).toEqual([500, expect.stringContaining('ctx.once')]);
  });

  test('with a resolver that calls ctx.once twice: refused, because the second would get the result of the first', async () => {
    const second = vi.fn(() => 'second');
    const router = t.router({
      ship: t.procedure.use(idempotent(definition)).mutation(async ({ ctx }) => {
        const first = await ctx.once(() => 'first');
        return [first, await ctx.once(second)];
      }),
    });
    const { status, json } = await serve(router).call('ship', undefined, key);
    expect([status, json.error.data.cause]).toEqual([500, expect.stringContaining('twice')]);
    expect(second).not.toHaveBeenCalled();
  });
});

describe('an error of the resolver', () => {
  const notFound = () => new TRPCError({ code: 'NOT_FOUND', message: 'There is no such item.' });
  const key = { 'idempotency-key': randomUUID() };

  test('before anything was sent reaches the client as it was thrown, and the key may try again', async () => {
    const ship = vi.fn<Ship>().mockRejectedValueOnce(notFound()).mockResolvedValue('label');
    const { call, errors } = serve(createRouter(ship));
    expect(await call('prepare', { item: 'kettle' }, key)).toMatchObject({
      status: 404,
      json: { error: { message: 'There is no such item.', data: { code: 'NOT_FOUND', problem: null } } },
    });
    expect(errors()).toEqual([]);
    expect(await call('prepare', { item: 'kettle' }, key)).toMatchObject({ status: 200 });
  });

  test('that is a bug reaches the error formatter with its cause, is reported, and the key may try again', async () => {
    const ship = vi.fn<Ship>().mockRejectedValueOnce(new Error('no disk')).mockResolvedValue('label');
    const { call, errors } = serve(createRouter(ship));
    expect(await call('prepare', { item: 'kettle' }, key)).toMatchObject({
      status: 500,
      json: { error: { data: { code: 'INTERNAL_SERVER_ERROR', cause: 'no disk' } } },
    });
    expect(errors()).toHaveLength(1);
    expect(await call('prepare', { item: 'kettle' }, key)).toMatchObject({ status: 200 });
  });

  test('after an effect may have been sent is no proof, of any kind of error: the outcome is unknown, and reported', async () => {
    const ship = vi.fn<Ship>().mockRejectedValue(notFound());
    const { call, errors } = serve(createRouter(ship));
    for (let n = 0; n < 2; n += 1) {
      expect(await call('ship', { item: 'kettle' }, key)).toMatchObject({
        json: { result: { data: { status: 'pending', code: 'operation_unknown' } } },
      });
    }
    expect(ship).toHaveBeenCalledTimes(1);
    expect(errors()).toHaveLength(1);
  });

  test('that the failure policy knows to be harmless after sending reaches the client, and the key may try again', async () => {
    const ship = vi.fn<Ship>().mockRejectedValueOnce(notFound()).mockResolvedValue('label');
    const { call } = serve(
      createRouter(ship, {
        failurePolicy: (error, { effectSent }) =>
          error instanceof TRPCError || !effectSent ? 'retryable' : 'unknown',
      }),
    );
    expect(await call('ship', { item: 'kettle' }, key)).toMatchObject({ status: 404 });
    expect(await call('ship', { item: 'kettle' }, key)).toMatchObject({ status: 200 });
  });
});

test('a batching, streaming client gets the result and its replay, although the head has left before', async () => {
  const ship = vi.fn(async () => 'label');
  const router = createRouter(ship);
  const { http } = serve(router, () => ({
    set() {
      throw new Error('ERR_HTTP_HEADERS_SENT');
    },
  }));
  const key = randomUUID();
  const client = createTRPCClient<typeof router>({
    links: [httpBatchStreamLink({ ...http, headers: { 'Idempotency-Key': key } })],
  });
  for (let n = 0; n < 2; n += 1) {
    expect(await client.ship.mutate({ item: 'kettle' })).toEqual({ label: 'label' });
  }
  expect(ship).toHaveBeenCalledTimes(1);
});

describe('an idempotent procedure', () => {
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
