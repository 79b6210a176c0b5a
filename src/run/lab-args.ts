import { parseArgs } from 'node:util';
import { type CutPoint, cutPoints, isCutPoint } from '#faults/index.ts';
import { cutPointsOf, type Scenario } from '#lab/scenario.ts';
import { findScenario, scenarios } from '#lab/scenarios.ts';
import { describe, UsageError } from './plain-error.ts';

export interface LabArgs {
  readonly list: boolean;
  readonly json: boolean;
  readonly seed: number;
  readonly runs: readonly { readonly scenario: Scenario; readonly cut: CutPoint | undefined }[];
}

/** Everything is checked before anything is started. */
export function readLabArgs(args: readonly string[]): LabArgs {
  const { values, positionals } = parse(args);
  const { list, json } = values;
  const seed = Number(values.seed);
  if (!Number.isInteger(seed) || seed < 1 || seed > 999_999) {
    throw new UsageError(`--seed must be a whole number from 1 to 999999, not "${values.seed}".`);
  }
  const { cut } = values;
  if (cut !== undefined && !isCutPoint(cut)) {
    throw new UsageError(`--cut must be one of ${cutPoints.join(', ')}, not "${cut}".`);
  }
  if (list) return { list, json, seed, runs: [] };
  const all = positionals.includes('all');
  const chosen = all ? scenarios : choose(positionals);
  return {
    list,
    json,
    seed,
    runs: chosen.map((scenario) => ({ scenario, cut: cutOf(scenario, cut, all) })),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        seed: { type: 'string', default: '7' },
        cut: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(`${describe(error).split('. ')[0]?.replace(/\.$/, '')}. --help lists the options.`);
  }
}

function choose(names: readonly string[]): readonly Scenario[] {
  if (names.length === 0) throw new UsageError('Name a scenario, or "all"; --list prints them.');
  return names.map((name) => {
    const scenario = findScenario(name);
    if (!scenario) throw new UsageError(`There is no scenario "${name}"; --list prints them.`);
    return scenario;
  });
}

/** With "all", the cut is meant for those scenarios that have it. */
function cutOf(scenario: Scenario, cut: CutPoint | undefined, all: boolean): CutPoint | undefined {
  const points = cutPointsOf(scenario);
  if (cut === undefined || points.includes(cut)) return cut;
  if (all) return undefined;
  throw new UsageError(
    points.length === 0
      ? `${scenario.name} has no cut; leave --cut out.`
      : `The fault of ${scenario.name} strikes at one of ${points.join(', ')}, not ${cut}.`,
  );
}
