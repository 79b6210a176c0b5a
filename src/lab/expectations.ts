import { type CutPoint, cutPoints, type FaultAction } from '#faults/index.ts';
import type { LaneName, LanePromise, Scenario } from './scenario.ts';

/** What a lane promises when the fault strikes at this point. The protected lane's promise is the same everywhere. */
export function promiseOf(scenario: Scenario, lane: LaneName, cut: CutPoint | undefined): LanePromise {
  const promise = scenario.promise[lane];
  const { fault } = scenario;
  if (lane === 'protected' || !fault || !cut || cut === fault.at) return promise;
  return { charges: naiveCharges(fault.action, cut) };
}

/** The naive lane charges twice if its first request charged, or goes on to charge, although the client heard nothing. */
function naiveCharges(action: FaultAction, cut: CutPoint): LanePromise['charges'] {
  if (cut === 'before_send') return 1;
  switch (action) {
    case 'drop':
    case 'freeze':
      return 2;
    case 'kill':
      return cutPoints.indexOf(cut) >= cutPoints.indexOf('after_charge') ? 2 : 1;
    case 'lose_database':
      // Its pool may or may not have noticed the lost connections before the next query.
      return cut === 'before_commit' ? 2 : [1, 2];
  }
}

export function isKept({ charges }: LanePromise, count: number): boolean {
  const [min, max] = typeof charges === 'number' ? [charges, charges] : charges;
  return min <= count && count <= max;
}
