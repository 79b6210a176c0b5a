import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { roles } from '#console/members/membership.ts';
import {
  batchCallerOf,
  type ConsoleCaller,
  type ConsoleHarness,
  callerOf,
  openConsoleHarness,
  type TestPerson,
} from '#server/testing/console-harness.ts';
import { exampleInput, NoExample, takesAnId } from '../testing/example-input.ts';
import { type FullShop, openFullShop } from '../testing/full-shop.ts';
import { tenantChecksum } from '../testing/tenant-checksum.ts';
import type { Meta } from './init.ts';
import { appRouter } from './root.ts';

/**
 * Every procedure is tried with every caller who may not use it, and with every id that is not theirs. The list is the
 * router itself, the inputs come from the procedures' own schemas, the access levels from their `meta`, so a new procedure
 * is tried without a change here. Where that is not enough, the failure says what to add here.
 */

/** Procedures without authentication, and why. */
const openToAll: Record<string, string> = {
  'shop.list': 'the public catalogue',
  'shop.get': 'the public catalogue',
  'shop.product': 'the public catalogue',
  'shop.cart': 'prices of the public catalogue',
  'shop.checkOut': 'orders need no account',
  'shop.buyNow': 'orders need no account',
  'shop.order': 'the order’s id is the capability',
  'shop.charges': 'the order’s id is the capability',
  'payments.pay': 'the order’s id is the capability, and the key is bound to it',
  'payments.status': 'the order’s id is the capability, and the key is bound to it',
  'payments.watch': 'the order’s id is the capability, and the key is bound to it',
  'payments.ofOrder': 'the order’s id is the capability',
  'payments.watchOrder': 'the order’s id is the capability',
  'payments.returned': 'the order’s id is the capability, and the key is bound to it',
  'payments.cancelPayment': 'the order’s id is the capability, and the key is bound to it',
  'payments.cancelOrder': 'the order’s id is the capability',
  'demo.readings': 'the order’s id is the capability; exists in the demo only',
  'demo.silence': 'the order’s id is the capability; exists in the demo only',
  'lab.scenarios': 'exists in the demo only',
  'lab.start': 'exists in the demo only, pays in a tenant of its own, one run at a time',
  'lab.read': 'the run’s id is the capability; exists in the demo only',
  'lab.exports': 'exists in the demo only',
  'lab.xRay': 'keys of the lab’s own tenant only; exists in the demo only',
  'demo.again': 'exists in the demo only; orders need no account',
  'account.invitation': 'the token is the capability',
  'account.accept': 'the token is the capability, once',
};

/** Mutations that need no operator, and why. */
const changedByViewers: Record<string, string> = {
  'views.save': 'the caller’s own saved view',
  'views.rename': 'the caller’s own saved view',
  'views.delete': 'the caller’s own saved view',
};

/** Inputs that cannot be made from the schema alone; `id` is what the input has to name. */
const examples: Record<string, (id: string) => unknown> = {};

/** The caller who finds what the input names, where that is not the owner. */
const finders: Record<string, (shop: FullShop) => ConsoleCaller> = {
  'account.join': ({ invited }) => invited.call,
};

/** The holder of a token knows that it is valid, so FORBIDDEN reveals nothing. */
const capabilities = new Set(['account.join']);

interface Procedure {
  readonly path: string;
  readonly type: string;
  readonly access: Meta['access'];
  readonly schemas: readonly z.ZodType[];
}

const procedures: Procedure[] = Object.entries(appRouter._def.procedures).map(([path, procedure]) => {
  const { meta, inputs, type } = (
    procedure as unknown as { _def: { meta?: Meta; inputs: z.ZodType[]; type: string } }
  )._def;
  return { path, type, access: meta?.access ?? 'public', schemas: inputs };
});
const guarded = procedures.filter(({ access }) => access !== 'public');

let harness: ConsoleHarness;
let home: FullShop;
let victim: FullShop;
let members: Record<string, TestPerson>;
/** Owner of one shop and viewer of the other. */
let both: TestPerson;
/** Of the victim, when it was last compared. */
let checksum: Record<string, string>;
beforeAll(async () => {
  harness = await openConsoleHarness();
  [home, victim] = [await openFullShop(harness, 'home'), await openFullShop(harness, 'victim')];
  members = Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => [role, await harness.createMember(home.tenantId, role)] as const),
    ),
  );
});
beforeAll(async () => {
  both = await harness.createMember(home.tenantId, 'owner');
  const viewer = { organizationId: victim.tenantId, userId: both.userId, role: 'viewer' };
  // Later: of two memberships the older one is opened first.
  const createdAt = new Date(Date.now() + 1_000);
  await harness.db.member.create({ data: { id: randomUUID(), ...viewer, createdAt } });
  checksum = await tenantChecksum(harness.db, victim.tenantId);
});
// A few persons try everything within a minute. Limits are not what is tested here.
beforeEach(() => harness.db.rateLimit.deleteMany());
afterAll(() => harness.close());

/** Undefined when the procedure does not take an id of this kind. */
function inputNaming({ path, schemas }: Procedure, id: string): { input: unknown } | undefined {
  try {
    return { input: examples[path]?.(id) ?? exampleInput(schemas, id) };
  } catch (error) {
    if (error instanceof NoExample) return undefined;
    throw error;
  }
}

/** A valid input with an id that does not exist. */
function anyInput(procedure: Procedure): unknown {
  const made = [randomUUID(), missingIdLike(home.token)].map((id) => inputNaming(procedure, id));
  const found = made.find((one) => one !== undefined);
  if (found) return found.input;
  throw new Error(
    `No valid input could be made for ${procedure.path}: add one to \`examples\` in authorization.db.test.ts.`,
  );
}

function takesId({ path, schemas }: Procedure): boolean {
  return examples[path] !== undefined || takesAnId(schemas);
}

function intrusions(procedure: Procedure): unknown[] {
  if (!takesId(procedure)) return [anyInput(procedure)];
  return victim.ids.flatMap((id) => inputNaming(procedure, id) ?? []).map(({ input }) => input);
}

type Result = { readonly response: unknown } | { readonly error: TRPCError };

async function callProcedure(caller: ConsoleCaller, path: string, input: unknown): Promise<Result> {
  const [first = '', second = ''] = path.split('.');
  const call = (caller as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[
    first
  ]?.[second];
  if (!call) throw new Error(`There is no ${path}.`);
  try {
    return { response: await firstOf(await call(input)) };
  } catch (error) {
    if (error instanceof TRPCError) return { error };
    throw error;
  }
}

/** The first event of a subscription; some have none while nothing happens. */
async function firstOf(response: unknown): Promise<unknown> {
  if (typeof response !== 'object' || response === null || !(Symbol.asyncIterator in response))
    return response;
  const events = (response as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const first = await Promise.race([events.next(), delay(eventTimeoutMs, undefined)]);
  // A generator that waits ends only with its next event, which this test does not wait for.
  void events.return?.(undefined);
  return first?.value;
}

const eventTimeoutMs = 200;

const codeOf = (result: Result) => ('error' in result ? result.error.code : 'OK');
const textOf = (result: Result) =>
  'error' in result
    ? `${result.error.code} ${result.error.message}`
    : (JSON.stringify(result.response, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ??
      '');

test('the procedures without authentication are exactly the listed ones', () => {
  expect(guarded.length).toBeGreaterThan(20);
  const open = procedures.filter(({ access }) => access === 'public').map(({ path }) => path);
  expect(open.toSorted(), 'say in `openToAll` why it is open, or give it an access level').toEqual(
    Object.keys(openToAll).toSorted(),
  );
});

test('a viewer can change nothing, except through the listed mutations', () => {
  const found = guarded.filter(({ access, type }) => access === 'viewer' && type === 'mutation');
  expect(
    found.map(({ path }) => path).toSorted(),
    'say why in `changedByViewers`, or raise its access level',
  ).toEqual(Object.keys(changedByViewers).toSorted());
});

describe.each(guarded)('$path, for $access', (procedure) => {
  const { path, access } = procedure;

  test('without a session: UNAUTHORIZED', async () => {
    expect(codeOf(await callProcedure(callerOf(''), path, anyInput(procedure)))).toBe('UNAUTHORIZED');
  });

  const below = roles.slice(0, Math.max(0, roles.indexOf(access as never)));
  test.each(below)('as a mere %s: FORBIDDEN', async (role) => {
    const member = members[role];
    if (!member) throw new Error(`No member is ${role}.`);
    expect(codeOf(await callProcedure(member.call, path, anyInput(procedure)))).toBe('FORBIDDEN');
  });

  test('with every id of another shop: nothing is revealed and nothing is changed', async () => {
    if (!members.owner) throw new Error('No member is owner.');
    const intruder = batchCallerOf(members.owner.cookie);
    for (const input of intrusions(procedure)) {
      const result = await callProcedure(intruder, path, input);
      const about = `${path} with ${JSON.stringify(input)} returned: ${textOf(result)}`;
      expect(codeOf(result), about).not.toBe('INTERNAL_SERVER_ERROR');
      if ('response' in result) expect(textOf(result), about).not.toContain(victim.mark);
      else if (takesId(procedure)) {
        const allowed = capabilities.has(path) ? ['NOT_FOUND', 'FORBIDDEN'] : ['NOT_FOUND'];
        expect(allowed, about).toContain(result.error.code);
      }
    }
    const before = checksum;
    // Kept also when it differs, so that only the procedure that changed something fails.
    checksum = await tenantChecksum(harness.db, victim.tenantId);
    expect(checksum).toEqual(before);
    const jobs = await harness.db.$queryRaw<
      { payload: unknown }[]
    >`SELECT payload FROM graphile_worker._private_jobs`;
    for (const id of victim.ids.filter((one) => one.length > 20))
      expect(JSON.stringify(jobs)).not.toContain(id);
  });
});

const changing = guarded.filter(({ access }) => roles.indexOf(access as never) > roles.indexOf('viewer'));

test.each(changing)(
  '$path: an owner of one shop who is a viewer of another changes nothing there',
  async (procedure) => {
    await both.call.account.switchShop({ tenantId: home.tenantId });
    const caller = batchCallerOf(both.cookie);
    const before = await tenantChecksum(harness.db, victim.tenantId);
    for (const input of intrusions(procedure)) {
      const result = await callProcedure(caller, procedure.path, input);
      if (takesId(procedure) && 'error' in result) {
        expect(['NOT_FOUND', 'FORBIDDEN'], textOf(result)).toContain(result.error.code);
      }
    }
    expect(await tenantChecksum(harness.db, victim.tenantId)).toEqual(before);
  },
);

/** Which ids of a shop were found so far. Most procedures of a router take the same one, which is therefore tried first. */
const foundAt: number[] = [];

/** What a mutation changes, the next one would not find. Queries and subscriptions change nothing, so they share a shop. */
let shopOfReads: Promise<FullShop> | undefined;
function openOwnShop({ type }: Procedure): Promise<FullShop> {
  if (type === 'mutation') return openFullShop(harness, `own-${randomUUID().slice(0, 8)}`);
  shopOfReads ??= openFullShop(harness, 'own-reads');
  return shopOfReads;
}

/** Otherwise the tests above would pass for a procedure that reads rows which the victim does not have. */
test.each(guarded.filter(takesId))(
  '$path finds what its input names, for its own tenant',
  async (procedure) => {
    const shop = await openOwnShop(procedure);
    const caller = finders[procedure.path]?.(shop) ?? batchCallerOf(shop.owner.cookie);
    const found: string[] = [];
    const nothings = new Map<string, string>();
    for (const index of new Set([...foundAt.toReversed(), ...shop.ids.keys()])) {
      const id = shop.ids[index] ?? '';
      const [own, missing] = [inputNaming(procedure, id), inputNaming(procedure, missingIdLike(id))];
      if (!own || !missing) continue;
      const missingId = missingIdLike(id);
      const nothing =
        nothings.get(missingId) ??
        textOf(await callProcedure(caller, procedure.path, missing.input)).replaceAll(missingId, '');
      nothings.set(missingId, nothing);
      const something = textOf(await callProcedure(caller, procedure.path, own.input)).replaceAll(id, '');
      if (something === nothing) continue;
      found.push(id);
      foundAt.push(index);
      break;
    }
    expect(
      found,
      `${procedure.path} finds nothing in a full shop: add a row that it finds, and its id, to src/server/testing/full-shop.ts`,
    ).not.toEqual([]);
  },
);

/** An id of the same kind that no row has. */
function missingIdLike(id: string): string {
  if (/^\d+$/.test(id)) return '999999999';
  return id.length === 43 ? 'A'.repeat(43) : '00000000-0000-4000-8000-000000000000';
}
