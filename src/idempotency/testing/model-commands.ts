import fc from 'fast-check';
import { expect } from 'vitest';
import { Superseded } from '../operation.ts';
import { createModel, type Ending, type Hold, type Model, type Point } from './model.ts';
import type { PostgresEngine } from './postgres-engines.ts';
import {
  couldWrite,
  createScriptedOwners,
  type ScriptedOwner,
  type ScriptedOwners,
} from './scripted-owners.ts';

/** One owner, as the model sees it and as the real engine granted it. */
interface Owner {
  readonly hold: Hold;
  readonly scripted: ScriptedOwner;
}

/** The model and the real thing, side by side. `owners` can act; `all` also has those that crashed. */
export interface Pair {
  readonly model: Model;
  readonly real: ScriptedOwners;
  readonly owners: Owner[];
  readonly all: Owner[];
  executed: number;
}

export function createPair(postgres: PostgresEngine): Pair {
  return { model: createModel(), real: createScriptedOwners(postgres), owners: [], all: [], executed: 0 };
}

let responses = 0;
const newResponse = () => JSON.stringify({ response: String(++responses) });
const textOf = (response: string): string => JSON.parse(response).response;

type Command = fc.AsyncCommand<Pair, Pair>;

/** Every command ends with the same comparison: status, attempt, recovery point, response and all events. */
function command(name: string, key: (pair: Pair) => number, run: (pair: Pair) => Promise<void>): Command {
  return {
    check: () => true,
    async run(_, pair) {
      await run(pair);
      pair.executed++;
      expect(await pair.real.observe(key(pair)), name).toEqual(expected(pair.model, key(pair)));
    },
    toString: () => name,
  };
}

function expected(model: Model, key: number) {
  const life = model.lives.get(key);
  if (!life) return undefined;
  const { status, attempt, point, stale, response, events } = life;
  return { status, attempt, point, stale, effectSent: expect.toSatisfy(sentIs(life)), response, events };
}

/** Whether an effect may have been sent matters only while the outcome is open. */
function sentIs({ status, point }: { status: string; point: Point }): (effectSent: boolean) => boolean {
  const open = status === 'in_progress' || status === 'unknown';
  return (effectSent) => !open || effectSent === (point === 'sent');
}

/** What an owner does; without one, fast-check skips it. */
function byOwner(name: string, index: number, act: (pair: Pair, owner: Owner) => Promise<void>): Command {
  let key = 0;
  const run = async (pair: Pair) => {
    const owner = pair.owners[index % pair.owners.length];
    if (!owner) return;
    key = owner.hold.key;
    await act(pair, owner);
  };
  const check = ({ owners }: Pair) => owners.length > 0;
  return { ...command(`${name} by owner ${index}`, () => key, run), check };
}

function leave(pair: Pair, owner: Owner): void {
  pair.owners.splice(pair.owners.indexOf(owner), 1);
}

/** Several callers at once: as many execute, and the others get the same results, as if they had come one by one. */
function claim(key: number, input: string, principal: string, callers: number): Command {
  const name = `${callers} × claim key ${key} for ${input} as ${principal}`;
  return command(
    name,
    () => key,
    async ({ model, real, owners, all }) => {
      const each = Array.from({ length: callers }, () => 0);
      const expectedResults = each.map(() => model.claim(key, input, principal));
      const results = await Promise.all(each.map(() => real.claim(key, input, principal)));
      const resultOf = (one: object | string) => (typeof one === 'string' ? one : 'executes');
      expect(results.map(resultOf).sort(), name).toEqual(expectedResults.map(resultOf).sort());
      const hold = expectedResults.find((one) => typeof one !== 'string');
      const scripted = results.find((one) => typeof one !== 'string');
      if (!hold || !scripted) return;
      expect(scripted.execution).toMatchObject({ attempt: hold.attempt, recoveryPoint: hold.point });
      owners.push({ hold, scripted });
      all.push({ hold, scripted });
    },
  );
}

function phase(index: number, wanted: Point): Command {
  return byOwner(`phase ${wanted}`, index, async ({ model }, { hold, scripted }) => {
    // An effect that was sent is never unsent: a handler only goes forward.
    const point = hold.point === 'sent' ? 'sent' : wanted;
    const real = await written(scripted.execution.phase(point));
    expect(real).toBe(model.phase(hold, point));
  });
}

function extendLease(index: number): Command {
  return byOwner('extend the lease', index, async ({ model }, { hold, scripted }) => {
    const real = await written(scripted.execution.extendLease());
    expect(real).toBe(model.phase(hold, model.mayWrite(hold) ? hold.life.point : hold.point));
  });
}

function written(step: Promise<void>): Promise<'written' | 'refused'> {
  return step.then(
    () => 'written',
    (error) => {
      if (error instanceof Superseded) return 'refused';
      throw error;
    },
  );
}

function end(index: number, ending: Ending): Command {
  return byOwner(ending, index, async (pair, owner) => {
    const response = newResponse();
    const result = await owner.scripted.end(ending, textOf(response));
    expect(result).toBe(pair.model.end(owner.hold, ending, response));
    leave(pair, owner);
  });
}

/** A sequence that random commands reach too rarely: the owner sends, its lease expires, and it may still finish later. */
function stall(index: number): Command {
  return byOwner('stall past the lease', index, async ({ model, real }, { hold, scripted }) => {
    expect(await written(scripted.execution.phase('sent'))).toBe(model.phase(hold, 'sent'));
    await real.letLeaseRunOut(hold.key);
    model.letLeaseRunOut(hold.key);
    await real.sweep(hold.key);
    model.expireLease(hold.key);
  });
}

/** The owner does nothing more. */
function crash(index: number): Command {
  return byOwner('crash', index, async (pair, owner) => leave(pair, owner));
}

function resolve(key: number, behind: number, to: 'completed' | 'failed_retryable'): Command {
  const name = `evidence on key ${key}: ${to}${behind ? ', about an older attempt' : ''}`;
  return command(
    name,
    () => key,
    async ({ model, real }) => {
      const response = newResponse();
      const attempt = (model.lives.get(key)?.attempt ?? 0) - behind;
      const moved = await real.resolve(key, behind, to, textOf(response));
      expect(moved, name).toBe(model.resolve(key, attempt, to, response));
    },
  );
}

/** Either may be first, but exactly one is, and both callers get the same response. */
function race(index: number): Command {
  return byOwner('finish, racing with evidence', index, async (pair, owner) => {
    const { hold, scripted } = owner;
    const [mine, theirs] = [newResponse(), newResponse()];
    const [result, evidenceWon] = await Promise.all([
      scripted.end('completed', textOf(mine)),
      pair.real.resolve(hold.key, 0, 'completed', textOf(theirs)),
    ]);
    const evidence = () => pair.model.resolve(hold.key, hold.life.attempt, 'completed', theirs);
    // A superseded owner writes nothing in either order; its caller may get its result before or after the evidence.
    const legal = pair.model.mayEnd(hold) ? [] : [pair.model.end(hold, 'completed', mine)];
    if (evidenceWon) expect(evidence()).toBe(true);
    legal.push(pair.model.end(hold, 'completed', mine));
    expect(legal).toContain(result);
    if (!evidenceWon) expect(evidence()).toBe(false);
    leave(pair, owner);
  });
}

function byTime(name: string, key: number, act: (side: Model | ScriptedOwners) => unknown): Command {
  return command(
    `${name} key ${key}`,
    () => key,
    async ({ model, real }) => {
      await act(real);
      await act(model);
    },
  );
}

/** Of all that were ever granted a key, crashed ones included, at most one can write, and it is the right one. */
export async function expectOneWriter({ model, all }: Pair): Promise<void> {
  const able = await Promise.all(
    all.map(async ({ scripted, hold }) => ((await couldWrite(scripted)) ? hold : undefined)),
  );
  const writers = able.filter((hold) => hold !== undefined);
  expect(writers).toEqual(all.map(({ hold }) => hold).filter((hold) => model.mayWrite(hold)));
  expect(new Set(writers.map(({ key }) => key)).size).toBe(writers.length);
}

const key = fc.nat({ max: 1 });
const owner = fc.nat({ max: 3 });
const ending = fc.constantFrom('completed', 'completed', 'failed_retryable', 'unknown', 'throws');
const point = fc.constantFrom<Point>('claimed', 'prepared', 'sent', 'sent');
const evidence = fc.constantFrom('completed', 'failed_retryable');
const ageing = fc.constantFrom('purge_body', 'expire', 'expire', 'delete');

/** Weighted towards commands that change state: an unclaimed or refused key tests little. */
const commands: readonly { weight: number; of: fc.Arbitrary<Command> }[] = [
  {
    weight: 5,
    of: fc.tuple(key, fc.integer({ min: 1, max: 3 })).map(([k, n]) => claim(k, 'coffee', 'alice', n)),
  },
  { weight: 1, of: key.map((k) => claim(k, 'cake', 'alice', 1)) },
  { weight: 1, of: key.map((k) => claim(k, 'coffee', 'mallory', 1)) },
  { weight: 2, of: fc.tuple(owner, point).map(([i, p]) => phase(i, p)) },
  { weight: 1, of: owner.map(extendLease) },
  { weight: 2, of: fc.tuple(owner, ending).map(([i, e]) => end(i, e)) },
  { weight: 1, of: owner.map(crash) },
  { weight: 1, of: owner.map(race) },
  { weight: 1, of: owner.map(stall) },
  {
    weight: 3,
    of: fc.tuple(key, fc.nat({ max: 1 }), evidence).map(([k, behind, to]) => resolve(k, behind, to)),
  },
  { weight: 2, of: key.map((k) => byTime('the lease runs out on', k, (side) => side.letLeaseRunOut(k))) },
  {
    weight: 1,
    of: key.map((k) => byTime('sweep', k, (side) => ('sweep' in side ? side.sweep(k) : side.expireLease(k)))),
  },
  { weight: 2, of: fc.tuple(key, ageing).map(([k, how]) => byTime(how, k, (side) => side.age(k, how))) },
];

export function anyCommands(maxCommands: number) {
  const weighted = commands.flatMap(({ weight, of }) => Array.from({ length: weight }, () => of));
  return fc.commands(weighted, { maxCommands, size: 'max' });
}
