import { type CutPoint, cutPoints, type Fault } from '#faults/index.ts';

/**
 * A scenario is data: what the client does, where the fault strikes, and what each lane promises. One runner (`run.ts`)
 * plays it, for the page, the command line and the tests alike.
 */
export interface Scenario {
  /** In the URL and on the command line. */
  readonly name: string;
  readonly title: string;
  readonly group: ScenarioGroup;
  /** One sentence. */
  readonly story: string;
  /** The card that is charged; the sandbox's fault cards choose the provider's fault. An ordinary one unless stated. */
  readonly card?: string;
  /** A fault between the client, the server and its database. It strikes the first request of each lane, once. */
  readonly fault?: Fault;
  readonly steps: readonly Step[];
  readonly promise: { readonly protected: LanePromise; readonly naive: LanePromise };
  /** One sentence: what to learn from it. */
  readonly lesson: string;
}

export const scenarioGroups = ['Shopper', 'Network', 'Provider', 'Server', 'Keys'] as const;
export type ScenarioGroup = (typeof scenarioGroups)[number];

export const laneNames = ['protected', 'naive'] as const;
export type LaneName = (typeof laneNames)[number];

interface Request {
  /** One client per key, all at the same moment. One client with key A unless stated. */
  readonly keys?: readonly KeyName[];
  /** So many clients per key, all at the same moment. */
  readonly callers?: number;
  /** A higher amount than the first. */
  readonly amount?: 'other';
  readonly card?: string;
  /** Skipped when the lane's shopper knows that it is paid. */
  readonly unlessPaid?: true;
}

export type KeyName = 'A' | 'B';

export type Step =
  /** Sends, and goes on until the client knows the outcome. In the naive lane: tries once more after a failure. */
  | ({ readonly do: 'pay'; readonly stopWhenReleased?: true } & Request)
  /** Sends once, and takes any response. */
  | ({ readonly do: 'send' } & Request)
  /** Ends the freeze, and waits until the late owner has finished. */
  | { readonly do: 'thaw' }
  /** Ends the replay window, and has the reaper expire the key. */
  | { readonly do: 'expire_key' }
  /** Waits until the outcome is unknown; then an operator asks the provider. */
  | { readonly do: 'operator' }
  /** Waits until the provider has sent these, each as often as it is listed. */
  | { readonly do: 'webhooks'; readonly events: readonly string[] };

export interface LanePromise {
  /** Succeeded charges in the provider's ledger: so many, or from so many to so many. */
  readonly charges: number | readonly [min: number, max: number];
  /** Of the record of key A at the end. The naive lane has no record. */
  readonly record?: 'completed' | 'failed_retryable' | 'expired';
}

export const ordinaryCard = 'pm_card_visa';

/**
 * Where the fault of a scenario can strike. A server that freezes or loses its database before it gets the request is not
 * in the middle of a payment, so those two start after the claim.
 */
export function cutPointsOf({ fault }: Scenario): readonly CutPoint[] {
  if (!fault) return [];
  return fault.action === 'drop' || fault.action === 'kill' ? cutPoints : cutPoints.slice(1);
}
