import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TRPCError } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { roles } from '#console/members/membership.ts';
import {
  type ConsoleCaller,
  type ConsoleStand,
  callerOf,
  openConsoleStand,
} from '#console/testing/console-harness.ts';
import { exampleInput, NoExample, namesSomething } from '../testing/example-input.ts';
import { type FullShop, openFullShop } from '../testing/full-shop.ts';
import { tenantChecksum } from '../testing/tenant-checksum.ts';
import type { Meta } from './init.ts';
import { appRouter } from './root.ts';

/**
 * Every procedure is tried with everybody who may not use it, and with everything that is not theirs. The list is the
 * router itself, the inputs come from the procedures' own schemas, the doors from their `meta`: what is new is tried
 * without anybody remembering to. Where that is not enough, the failure says what to add here.
 */

/** Procedures that anybody may call, and why. */
const openToAll: Record<string, string> = {
  'shop.list': 'the shop’s window',
  'shop.get': 'the shop’s window',
  'shop.product': 'the shop’s window',
  'shop.cart': 'prices of what one has in the hand',
  'shop.checkOut': 'anybody may order',
  'shop.buyNow': 'anybody may order',
  'shop.order': 'the order’s id is the capability',
  'shop.charges': 'the order’s id is the capability',
  'payments.pay': 'the order’s id is the capability, and the key is bound to it',
  'payments.attempt': 'the order’s id is the capability, and the key is bound to it',
  'payments.watch': 'the order’s id is the capability, and the key is bound to it',
  'payments.watchOrder': 'the order’s id is the capability',
  'payments.returned': 'the order’s id is the capability, and the key is bound to it',
  'payments.cancelOrder': 'the order’s id is the capability',
  'demo.readings': 'the order’s id is the capability; exists in the demo only',
  'demo.silence': 'the order’s id is the capability; exists in the demo only',
  'lab.doubleClick': 'exists with the sandbox only, in a tenant of its own',
  'demo.again': 'exists in the demo only; anybody may order',
  'account.invitation': 'the token is the capability',
  'account.accept': 'the token is the capability, once',
};

/** What changes something takes an operator; except for these, and why. */
const changedByViewers: Record<string, string> = {
  'views.save': 'a filter under a name, for oneself',
  'views.rename': 'a filter under a name, for oneself',
  'views.delete': 'a filter under a name, for oneself',
};

/** Inputs that can not be made from the schema alone; `id` is what the input has to name. */
const examples: Record<string, (id: string) => unknown> = {};

/** Whose call finds what it names, where the owner’s does not. */
const finders: Record<string, (shop: FullShop) => ConsoleCaller> = {
  'account.join': ({ invited }) => invited.call,
};

/** Whoever holds a token knows that it is one: being told that it is somebody else’s tells them nothing. */
const capabilities = new Set(['account.join']);

interface Procedure {
  readonly path: string;
  readonly type: string;
  readonly door: Meta['door'];
  readonly schemas: readonly z.ZodType[];
}

const procedures: Procedure[] = Object.entries(appRouter._def.procedures).map(([path, procedure]) => {
  const { meta, inputs, type } = (
    procedure as unknown as { _def: { meta?: Meta; inputs: z.ZodType[]; type: string } }
  )._def;
  return { path, type, door: meta?.door ?? 'public', schemas: inputs };
});
const guarded = procedures.filter(({ door }) => door !== 'public');

let stand: ConsoleStand;
let home: FullShop;
let victim: FullShop;
let members: Record<string, ConsoleCaller>;
/** Owns one shop and only looks at the other. */
let both: ConsoleCaller;
beforeAll(async () => {
  stand = await openConsoleStand();
  [home, victim] = [await openFullShop(stand, 'home'), await openFullShop(stand, 'victim')];
  members = Object.fromEntries(
    await Promise.all(
      roles.map(async (role) => [role, (await stand.createMember(home.tenantId, role)).call] as const),
    ),
  );
});
beforeAll(async () => {
  const person = await stand.createMember(home.tenantId, 'owner');
  await stand.db.member.create({
    data: { id: randomUUID(), organizationId: victim.tenantId, userId: person.userId, role: 'viewer' },
  });
  both = person.call;
});
afterAll(() => stand.close());

/** Undefined: what the procedure takes is no id of this kind. */
function inputNaming({ path, schemas }: Procedure, id: string): { input: unknown } | undefined {
  try {
    return { input: examples[path]?.(id) ?? exampleInput(schemas, id) };
  } catch (error) {
    if (error instanceof NoExample) return undefined;
    throw error;
  }
}

/** A valid input that names nothing there is. */
function anyInput(procedure: Procedure): unknown {
  const made = [randomUUID(), strangerOf(home.token)].map((id) => inputNaming(procedure, id));
  const found = made.find((one) => one !== undefined);
  if (found) return found.input;
  throw new Error(
    `No valid input could be made for ${procedure.path}: add one to \`examples\` in authorization.db.test.ts.`,
  );
}

function names({ path, schemas }: Procedure): boolean {
  return examples[path] !== undefined || namesSomething(schemas);
}

function intrusions(procedure: Procedure): unknown[] {
  if (!names(procedure)) return [anyInput(procedure)];
  return victim.ids.flatMap((id) => inputNaming(procedure, id) ?? []).map(({ input }) => input);
}

type Said = { readonly answer: unknown } | { readonly error: TRPCError };

async function say(caller: ConsoleCaller, path: string, input: unknown): Promise<Said> {
  const [first = '', second = ''] = path.split('.');
  const call = (caller as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>)[
    first
  ]?.[second];
  if (!call) throw new Error(`There is no ${path}.`);
  try {
    return { answer: await firstOf(await call(input)) };
  } catch (error) {
    if (error instanceof TRPCError) return { error };
    throw error;
  }
}

/** Of what goes on telling, the first word; some have nothing to say while nothing happens. */
async function firstOf(answer: unknown): Promise<unknown> {
  if (typeof answer !== 'object' || answer === null || !(Symbol.asyncIterator in answer)) return answer;
  const telling = (answer as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const first = await Promise.race([telling.next(), delay(patienceMs, undefined)]);
  // One that waits ends only when what it waits for happens; nobody here waits for that.
  void telling.return?.(undefined);
  return first?.value;
}

const patienceMs = 200;

const codeOf = (said: Said) => ('error' in said ? said.error.code : 'answered');
const textOf = (said: Said) =>
  'error' in said
    ? `${said.error.code} ${said.error.message}`
    : (JSON.stringify(said.answer, (_, value) => (typeof value === 'bigint' ? String(value) : value)) ?? '');

test('the router is read, and procedures open to all are exactly those that have a reason', () => {
  expect(guarded.length).toBeGreaterThan(20);
  const open = procedures.filter(({ door }) => door === 'public').map(({ path }) => path);
  expect(open.toSorted(), 'say in `openToAll` why it is open, or give it a door').toEqual(
    Object.keys(openToAll).toSorted(),
  );
});

test('a viewer changes nothing, but for what has a reason', () => {
  const found = guarded.filter(({ door, type }) => door === 'viewer' && type === 'mutation');
  expect(
    found.map(({ path }) => path).toSorted(),
    'say why in `changedByViewers`, or raise its door',
  ).toEqual(Object.keys(changedByViewers).toSorted());
});

describe.each(guarded)('$path, for $door', (procedure) => {
  const { path, door } = procedure;

  test('without a session: UNAUTHORIZED', async () => {
    expect(codeOf(await say(callerOf(''), path, anyInput(procedure)))).toBe('UNAUTHORIZED');
  });

  const below = roles.slice(0, Math.max(0, roles.indexOf(door as never)));
  test.each(below)('as a mere %s: FORBIDDEN', async (role) => {
    const caller = members[role];
    if (!caller) throw new Error(`Nobody is ${role}.`);
    expect(codeOf(await say(caller, path, anyInput(procedure)))).toBe('FORBIDDEN');
  });

  test('with everything of another shop: nothing is told and nothing is touched', async () => {
    const intruder = members.owner;
    if (!intruder) throw new Error('Nobody is owner.');
    const before = await tenantChecksum(stand.db, victim.tenantId);
    for (const input of intrusions(procedure)) {
      const said = await say(intruder, path, input);
      const about = `${path} with ${JSON.stringify(input)} said: ${textOf(said)}`;
      expect(codeOf(said), about).not.toBe('INTERNAL_SERVER_ERROR');
      if ('answer' in said) expect(textOf(said), about).not.toContain(victim.mark);
      else if (names(procedure)) {
        const allowed = capabilities.has(path) ? ['NOT_FOUND', 'FORBIDDEN'] : ['NOT_FOUND'];
        expect(allowed, about).toContain(said.error.code);
      }
    }
    expect(await tenantChecksum(stand.db, victim.tenantId)).toEqual(before);
    const jobs = await stand.db.$queryRaw<
      { payload: unknown }[]
    >`SELECT payload FROM graphile_worker._private_jobs`;
    for (const id of victim.ids.filter((one) => one.length > 20))
      expect(JSON.stringify(jobs)).not.toContain(id);
  });
});

const changing = guarded.filter(({ door }) => roles.indexOf(door as never) > roles.indexOf('viewer'));

test.each(changing)(
  '$path: who owns one shop and only looks at another changes nothing there',
  async (procedure) => {
    await both.account.switchShop({ tenantId: home.tenantId });
    const before = await tenantChecksum(stand.db, victim.tenantId);
    for (const input of intrusions(procedure)) {
      const said = await say(both, procedure.path, input);
      if (names(procedure) && 'error' in said) {
        expect(['NOT_FOUND', 'FORBIDDEN'], textOf(said)).toContain(said.error.code);
      }
    }
    expect(await tenantChecksum(stand.db, victim.tenantId)).toEqual(before);
  },
);

/** Otherwise the tests above would pass for a procedure that looks for something the victim does not have. */
test.each(guarded.filter(names))('$path finds what it names, for those whose it is', async (procedure) => {
  const shop = await openFullShop(stand, `own-${randomUUID().slice(0, 8)}`);
  const caller = finders[procedure.path]?.(shop) ?? shop.owner.call;
  const found: string[] = [];
  for (const id of shop.ids) {
    const [own, nobodys] = [inputNaming(procedure, id), inputNaming(procedure, strangerOf(id))];
    if (!own || !nobodys) continue;
    const nothing = textOf(await say(caller, procedure.path, nobodys.input)).replaceAll(strangerOf(id), '');
    const something = textOf(await say(caller, procedure.path, own.input)).replaceAll(id, '');
    if (something !== nothing) found.push(id);
    if (found.length > 0) break;
  }
  expect(
    found,
    `${procedure.path} finds nothing in a full shop: add a row it looks for, and its id, to src/server/testing/full-shop.ts`,
  ).not.toEqual([]);
});

/** An id of the same kind that nobody has. */
function strangerOf(id: string): string {
  if (/^\d+$/.test(id)) return '999999999';
  return id.length === 43 ? 'A'.repeat(43) : '00000000-0000-4000-8000-000000000000';
}
