import fc from 'fast-check';
import { expect } from 'vitest';
import { Superseded } from '../operation.ts';
import {
  createModel,
  type Ending,
  type Grant,
  type Model,
  type ModelRecord,
  type RecoveryPoint,
} from './model.ts';
import type { PostgresEngine } from './postgres-engines.ts';
import {
  couldWrite,
  createScriptedOwners,
  type ScriptedOwner,
  type ScriptedOwners,
} from './scripted-owners.ts';

/** One owner, as the model and as the real engine granted it. */
interface Owner {
  readonly grant: Grant;
  readonly scripted: ScriptedOwner;
}

/** The model and the real engine. `owners` can act; `allOwners` also has those that ended or crashed. */
export interface Pair {
  readonly model: Model;
  readonly real: ScriptedOwners;
  readonly owners: Owner[];
  readonly allOwners: Owner[];
  executed: number;
}

export function createPair(postgres: PostgresEngine): Pair {
  return {
    model: createModel(),
    real: createScriptedOwners(postgres),
    owners: [],
    allOwners: [],
    executed: 0,
  };
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
  const record = model.records.get(key);
  if (!record) return undefined;
  const { status, attempt, point, leaseExpired, response, events } = record;
  const effectSent = expect.toSatisfy(isExpectedEffect(record));
  return { status, attempt, point, leaseExpired, effectSent, response, events };
}

/** Whether an effect may have been sent matters only while the operation is unresolved. */
function isExpectedEffect(record: ModelRecord): (effectSent: boolean) => boolean {
  const unresolved = record.status === 'in_progress' || record.status === 'unknown';
  return (effectSent) => !unresolved || effectSent === (record.point === 'sent');
}

/** A step of an owner. If there is no owner, fast-check skips it. */
function byOwner(name: string, index: number, act: (pair: Pair, owner: Owner) => Promise<void>): Command {
  let key = 0;
  const run = async (pair: Pair) => {
    const owner = pair.owners[index % pair.owners.length];
    if (!owner) return;
    key = owner.grant.key;
    await act(pair, owner);
  };
  const check = ({ owners }: Pair) => owners.length > 0;
  return { ...command(`${name} by owner ${index}`, () => key, run), check };
}

function leave(pair: Pair, owner: Owner): void {
  pair.owners.splice(pair.owners.indexOf(owner), 1);
}

/** Several callers at once: the same number execute, and the others get the same results, as if they came one after another. */
function claim(key: number, input: string, principal: string, callers: number): Command {
  const name = `${callers} × claim key ${key} for ${input} as ${principal}`;
  return command(
    name,
    () => key,
    async ({ model, real, owners, allOwners }) => {
      const each = Array.from({ length: callers }, () => 0);
      const expectedResults = each.map(() => model.claim(key, input, principal));
      const results = await Promise.all(each.map(() => real.claim(key, input, principal)));
      const resultOf = (one: object | string) => (typeof one === 'string' ? one : 'executes');
      expect(results.map(resultOf).sort(), name).toEqual(expectedResults.map(resultOf).sort());
      const grant = expectedResults.find((one) => typeof one !== 'string');
      const scripted = results.find((one) => typeof one !== 'string');
      if (!grant || !scripted) return;
      expect(scripted.execution).toMatchObject({ attempt: grant.attempt, recoveryPoint: grant.point });
      owners.push({ grant, scripted });
      allOwners.push({ grant, scripted });
    },
  );
}

function phase(index: number, wanted: RecoveryPoint): Command {
  return byOwner(`phase ${wanted}`, index, async ({ model }, { grant, scripted }) => {
    // The database refuses to go back from `sent`, so a handler never does.
    const point = grant.point === 'sent' ? 'sent' : wanted;
    const real = await written(scripted.execution.phase(point));
    expect(real).toBe(model.phase(grant, point));
  });
}

function extendLease(index: number): Command {
  return byOwner('extend the lease', index, async ({ model }, { grant, scripted }) => {
    const real = await written(scripted.execution.extendLease());
    expect(real).toBe(model.phase(grant, model.mayWrite(grant) ? grant.record.point : grant.point));
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
    expect(result).toBe(pair.model.end(owner.grant, ending, response));
    leave(pair, owner);
  });
}

/** Random commands reach this too rarely: the owner sends, its lease expires, and it may still finish later. */
function stall(index: number): Command {
  return byOwner('stall past the lease', index, async ({ model, real }, { grant, scripted }) => {
    expect(await written(scripted.execution.phase('sent'))).toBe(model.phase(grant, 'sent'));
    await real.letLeaseExpire(grant.key);
    model.letLeaseExpire(grant.key);
    await real.sweep(grant.key);
    model.expireLease(grant.key);
  });
}

/** The owner makes no further step. */
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
      const attempt = (model.records.get(key)?.attempt ?? 0) - behind;
      const moved = await real.resolve(key, behind, to, textOf(response));
      expect(moved, name).toBe(model.resolve(key, attempt, to, response));
    },
  );
}

/** Either may be first. Exactly one is, and both callers get its response. */
function race(index: number): Command {
  return byOwner('finish, racing with evidence', index, async (pair, owner) => {
    const { grant, scripted } = owner;
    const [mine, theirs] = [newResponse(), newResponse()];
    const [result, evidenceWon] = await Promise.all([
      scripted.end('completed', textOf(mine)),
      pair.real.resolve(grant.key, 0, 'completed', textOf(theirs)),
    ]);
    const evidence = () => pair.model.resolve(grant.key, grant.record.attempt, 'completed', theirs);
    // A superseded owner writes nothing in either order; its caller may get its result before or after the evidence.
    const legal = pair.model.mayComplete(grant) ? [] : [pair.model.end(grant, 'completed', mine)];
    if (evidenceWon) expect(evidence()).toBe(true);
    legal.push(pair.model.end(grant, 'completed', mine));
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

/** Of all owners that were ever granted a key, crashed ones included, only the current one of each key can write. */
export async function expectOneWriter({ model, allOwners }: Pair): Promise<void> {
  const results = await Promise.all(
    allOwners.map(async ({ scripted, grant }) => ((await couldWrite(scripted)) ? grant : undefined)),
  );
  const writers = results.filter((grant) => grant !== undefined);
  expect(writers).toEqual(allOwners.map(({ grant }) => grant).filter((grant) => model.mayWrite(grant)));
  expect(new Set(writers.map(({ key }) => key)).size).toBe(writers.length);
}

const key = fc.nat({ max: 1 });
const owner = fc.nat({ max: 3 });
const ending = fc.constantFrom('completed', 'completed', 'failed_retryable', 'unknown', 'throws');
const point = fc.constantFrom<RecoveryPoint>('claimed', 'prepared', 'sent', 'sent');
const evidence = fc.constantFrom('completed', 'failed_retryable');
const retentionStep = fc.constantFrom('purge_body', 'expire', 'expire', 'delete');

/** Weighted towards commands that change state, because refused ones test little. */
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
  { weight: 2, of: key.map((k) => byTime('the lease expires on', k, (side) => side.letLeaseExpire(k))) },
  {
    weight: 1,
    of: key.map((k) => byTime('sweep', k, (side) => ('sweep' in side ? side.sweep(k) : side.expireLease(k)))),
  },
  {
    weight: 2,
    of: fc.tuple(key, retentionStep).map(([k, step]) => byTime(step, k, (side) => side.reap(k, step))),
  },
];

export function anyCommands(maxCommands: number) {
  const weighted = commands.flatMap(({ weight, of }) => Array.from({ length: weight }, () => of));
  return fc.commands(weighted, { maxCommands, size: 'max' });
}
