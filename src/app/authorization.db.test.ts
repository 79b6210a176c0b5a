import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type ConsoleHarness, openConsoleHarness } from '#server/testing/console-harness.ts';
import { type FullShop, openFullShop } from '#server/testing/full-shop.ts';
import { tenantChecksum } from '#server/testing/tenant-checksum.ts';
import { readApi } from './docs/read-api.ts';
import { pathHeader } from './path-header.ts';

const { operations } = readApi('http://shop.example');

/** How each route file below this folder authorizes. The first test fails until a new route is listed. */
type Access =
  /** Open to every caller, for this reason. */
  | { readonly kind: 'public'; readonly why: string }
  /** Authorizes each of its own endpoints; `testedIn` names their test. */
  | { readonly kind: 'own_authorization'; readonly testedIn: string }
  /** A shared secret, or a signature made with one: `status` is the response without it. */
  | { readonly kind: 'secret'; readonly status: number }
  /** A session. `query` is what a member of another shop could ask for. */
  | { readonly kind: 'session'; readonly query: (of: FullShop) => string }
  /** A tenant's API key. `tries` are what a caller with another tenant's key could send. */
  | {
      readonly kind: 'api_key';
      readonly tries: (of: FullShop & { key: string }, id: string) => readonly Try[];
    };
interface Try {
  readonly method: 'GET' | 'POST';
  readonly collection?: string;
  readonly id?: string;
  readonly query?: string;
  readonly body?: object;
  readonly key?: string;
  /** Where a browser says the link is. */
  readonly site?: 'cross-site' | 'same-site';
}

const accessOf: Record<string, Access> = {
  '(admin)/admin/(console)/audit/export': { kind: 'session', query: ({ mark }) => `?person=${mark}` },
  '(admin)/admin/(console)/operations/export': { kind: 'session', query: ({ mark }) => `?shop=${mark}` },
  '(admin)/admin/(console)/payments/export': { kind: 'session', query: ({ mark }) => `?q=${mark}` },
  '(admin)/admin/sign-in/demo': { kind: 'public', why: 'exists in the demo on one’s own machine only' },
  'api/auth/[...all]': { kind: 'own_authorization', testedIn: 'src/server/auth.db.test.ts' },
  'api/trpc/[trpc]': { kind: 'own_authorization', testedIn: 'src/server/trpc/authorization.db.test.ts' },
  'api/health': { kind: 'public', why: 'reports that the process is up and nothing else' },
  'api/ready': { kind: 'public', why: 'reports what is missing, in sentences without names' },
  'api/v1/openapi.json': { kind: 'public', why: 'the reference of the API' },
  'api/v1/[...rest]': { kind: 'public', why: 'says of every address that it does not exist' },
  'api/metrics': { kind: 'secret', status: 401 },
  'api/webhooks/stripe': { kind: 'secret', status: 400 },
  'api/v1/operations': { kind: 'api_key', tries: ({ key }) => [{ method: 'GET', query: `?key=${key}` }] },
  'api/v1/operations/[id]': { kind: 'api_key', tries: (_, id) => [{ method: 'GET', id }] },
  'api/v1/[collection]/[id]': {
    kind: 'api_key',
    tries: (_, id) => posts.map(({ collection }) => ({ method: 'GET', collection, id })),
  },
  'api/v1/[collection]': {
    kind: 'api_key',
    tries: ({ key }, id) => posts.map((post) => ({ method: 'POST', ...requestNaming(post, id, key) })),
  },
};

/** What can be posted, with the bodies of the reference's examples. */
const posts = operations.flatMap(({ method, path: address, curl }) =>
  method === 'POST'
    ? [
        {
          collection: path.basename(address),
          body: JSON.parse(/-d '([^']*)'/.exec(curl)?.[1] ?? '') as object,
        },
      ]
    : [],
);

/** The example with this id in it; where it has no place for one, with a key that was used. */
function requestNaming({ collection, body }: (typeof posts)[number], id: string, usedKey: string) {
  const named = Object.keys(body).filter((name) => name.endsWith('Id'));
  const ids = Object.fromEntries(named.map((name) => [name, id]));
  return { collection, key: named.length > 0 ? randomUUID() : usedKey, body: { ...body, ...ids } };
}

const here = import.meta.dirname;
const routes = readdirSync(here, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name === 'route.ts')
  .map((entry) => path.relative(here, entry.parentPath))
  .toSorted();
// In the order of `accessOf`: what is posted with the victim's key is found by it afterwards.
const guarded = Object.entries(accessOf).flatMap(([route, access]) =>
  access.kind === 'api_key' ? [{ route, tries: access.tries }] : [],
);
const sessions = routes.flatMap((route) => {
  const access = accessOf[route];
  return access?.kind === 'session' ? [{ route, query: access.query }] : [];
});
const secret = routes.flatMap((route) => {
  const access = accessOf[route];
  return access?.kind === 'secret' ? [{ route, status: access.status }] : [];
});

/** The headers that Next would pass to the page. */
const page = vi.hoisted(() => {
  // Those that an earlier file has loaded use the real one.
  vi.resetModules();
  return { headers: new Headers() };
});
vi.mock('next/headers', () => ({
  headers: async () => page.headers,
  cookies: async () => ({ get: () => undefined }),
}));

let harness: ConsoleHarness;
let home: FullShop;
let victim: FullShop & { key: string };
beforeAll(async () => {
  harness = await openConsoleHarness({ METRICS_TOKEN: 'a token for metrics' });
  home = await openFullShop(harness, 'home');
  const full = await openFullShop(harness, 'victim');
  const record = await harness.db.idempotencyRecord.findFirstOrThrow({ where: { tenantId: full.tenantId } });
  victim = { ...full, key: record.key };
});
afterAll(async () => {
  await harness.close();
  vi.resetModules();
});

async function send(route: string, one: Try, bearer: string | undefined): Promise<Response> {
  const handlers = (await import(path.join(here, route, 'route.ts'))) as Record<
    string,
    (request: Request, context: { params: Promise<{ collection: string; id: string }> }) => Promise<Response>
  >;
  const handle = handlers[one.method];
  if (!handle) throw new Error(`${route} has no ${one.method}.`);
  const request = new Request(`http://127.0.0.1:3000/${route}${one.query ?? ''}`, {
    method: one.method,
    headers: {
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...(one.key && { 'idempotency-key': one.key }),
      ...(one.method === 'POST' && { 'content-type': 'application/json' }),
      'sec-fetch-site': one.site ?? 'same-origin',
    },
    ...(one.method === 'POST' && { body: JSON.stringify(one.body ?? {}) }),
  });
  return handle(request, { params: Promise.resolve({ collection: one.collection ?? '', id: one.id ?? '' }) });
}

test('every route has its authorization listed and tested', () => {
  expect(routes.length).toBeGreaterThan(10);
  expect(Object.keys(accessOf).toSorted(), 'add the new route to `accessOf` in this file').toEqual(routes);
});

test.each(secret)(
  '$route, without its secret: $status, with a tenant’s key too',
  async ({ route, status }) => {
    const method = route === 'api/metrics' ? 'GET' : 'POST';
    for (const bearer of [undefined, home.apiKey]) {
      expect((await send(route, { method }, bearer)).status).toBe(status);
    }
  },
);

describe.each(sessions)('$route', ({ route, query }) => {
  test('without a session: 401', async () => {
    page.headers = new Headers();
    expect((await send(route, { method: 'GET', query: query(victim) }, undefined)).status).toBe(401);
  });

  test('for a member of another shop: nothing is revealed and nothing is changed', async () => {
    page.headers = new Headers({ cookie: home.owner.cookie });
    const before = await tenantChecksum(harness.db, victim.tenantId);
    for (const search of ['', query(victim)]) {
      const response = await send(route, { method: 'GET', query: search }, undefined);
      expect(await response.text()).not.toContain(victim.mark);
      expect(await tenantChecksum(harness.db, victim.tenantId)).toEqual(before);
    }
  });

  test('from a page of another shop of the same person: 412, and neither audit log has an entry', async () => {
    const { tenantId, owner } = victim;
    await harness.db.member.create({
      data: { id: randomUUID(), organizationId: home.tenantId, userId: owner.userId, role: 'owner' },
    });
    page.headers = new Headers({ cookie: owner.cookie });
    await owner.call.account.switchShop({ tenantId });
    const read = () => Promise.all([home, victim].map((shop) => tenantChecksum(harness.db, shop.tenantId)));
    const before = await read();
    const exportFor = (shop: string) => {
      page.headers.set(pathHeader, `/${route}?tenant=${shop}`);
      return send(route, { method: 'GET' }, undefined);
    };
    const response = await exportFor(home.tenantId);
    expect(response.status).toBe(412);
    expect(await response.text()).not.toContain(victim.mark);
    expect(await read()).toEqual(before);
    expect(await (await exportFor(tenantId)).text()).toContain(victim.mark);
    await harness.db.member.deleteMany({ where: { userId: owner.userId, organizationId: home.tenantId } });
  });

  test('followed from another site: 403, and the audit log of the shop has no entry', async () => {
    page.headers = new Headers({ cookie: victim.owner.cookie });
    const before = await tenantChecksum(harness.db, victim.tenantId);
    for (const site of ['cross-site', 'same-site'] as const) {
      const response = await send(route, { method: 'GET', site }, undefined);
      expect(response.status).toBe(403);
      expect(await response.text()).not.toContain(victim.mark);
    }
    expect(await tenantChecksum(harness.db, victim.tenantId)).toEqual(before);
  });

  test.each([
    ['their membership', (userId: string) => harness.db.member.deleteMany({ where: { userId } })],
    ['their session', (userId: string) => harness.db.session.deleteMany({ where: { userId } })],
  ])('a member who loses %s while it is sent gets none of the rows that follow', async (_, lose) => {
    const viewer = await harness.createMember(victim.tenantId, 'viewer');
    page.headers = new Headers({ cookie: viewer.cookie });
    const response = await send(route, { method: 'GET' }, undefined);
    await lose(viewer.userId);
    const rows = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // The headings were ready before.
    expect((await rows?.read())?.value).not.toContain(victim.mark);
    await expect(rows?.read()).rejects.toThrow('may no longer read');
  });

  test('is in the audit log', async () => {
    const viewer = await harness.createMember(victim.tenantId, 'viewer');
    page.headers = new Headers({ cookie: viewer.cookie });
    await (await send(route, { method: 'GET' }, undefined)).text();
    const entries = await harness.db.auditEntry.findMany({ where: { actorId: viewer.userId } });
    expect(entries.map(({ action }) => action)).toEqual([`${route.split('/').at(-2)}.export`]);
  });

  test('two of one shop at once, then 429, which leaves no trace; those of another shop go on', async () => {
    const exportAs = async ({ cookie }: { readonly cookie: string }) => {
      page.headers = new Headers({ cookie });
      return send(route, { method: 'GET' }, undefined);
    };
    const { owner, tenantId } = victim;
    const [first, second] = [await exportAs(owner), await exportAs(owner)];
    expect([first.status, second.status]).toEqual([200, 200]);
    const before = await tenantChecksum(harness.db, tenantId);
    const third = await exportAs(owner);
    expect(third.status).toBe(429);
    expect(await third.text()).toContain('Two exports of this shop');
    expect(await tenantChecksum(harness.db, tenantId)).toEqual(before);
    expect(await (await exportAs(home.owner)).text()).toContain('\n');
    // One is read to its end, the other is broken off.
    await first.text();
    await second.body?.cancel();
    expect(
      await Promise.all([exportAs(owner), exportAs(owner)].map(async (one) => (await one).text())),
    ).toEqual([expect.stringContaining(victim.mark), expect.stringContaining(victim.mark)]);
  });

  test('for a member of the shop: the data is there', async () => {
    page.headers = new Headers({ cookie: victim.owner.cookie });
    const response = await send(route, { method: 'GET' }, undefined);
    expect(await response.text()).toContain(victim.mark);
  });
});

describe.each(guarded)('$route', ({ route, tries }) => {
  test('without an API key, with one that was never issued and with a revoked one: 401', async () => {
    const { id, token } = await home.owner.call.apiKeys.create({ name: 'to be revoked' });
    await home.owner.call.apiKeys.revoke({ id });
    for (const bearer of [undefined, `po_${'A'.repeat(43)}`, token]) {
      for (const one of tries(victim, randomUUID())) {
        expect((await send(route, one, bearer)).status).toBe(401);
      }
    }
  });

  test('with another tenant’s key: nothing is revealed and nothing is changed', async () => {
    const before = await tenantChecksum(harness.db, victim.tenantId);
    for (const one of victim.ids.flatMap((id) => tries(victim, id))) {
      const response = await send(route, one, home.apiKey);
      const text = await response.text();
      const about = `${route} with ${JSON.stringify(one)} responded with ${response.status}: ${text}`;
      expect(text, about).not.toContain(victim.mark);
      if (one.id !== undefined || one.body)
        expect([400, 404, 409, 422, 503], about).toContain(response.status);
      else expect(JSON.parse(text), about).toEqual({ data: [] });
    }
    expect(await tenantChecksum(harness.db, victim.tenantId)).toEqual(before);
  });

  test('with the tenant’s own key at least one of its resources is found', async () => {
    const statuses = new Set<number>();
    for (const one of victim.ids.flatMap((id) => tries(victim, id))) {
      statuses.add((await send(route, one, victim.apiKey)).status);
    }
    expect(statuses.size, [...statuses].join(', ')).toBeGreaterThan(0);
    expect([...statuses].some((status) => status !== 404)).toBe(true);
  });
});
