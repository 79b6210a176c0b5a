import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type LabRun = RouterOutputs['lab']['read'];
export type LabScenario = RouterOutputs['lab']['scenarios'][number];
export type LabLane = LabRun['lanes']['protected'];
export type LabEvent = LabLane['trace'][number];
export type LabActor = LabEvent['from'];
export type CutPoint = LabScenario['cutPoints'][number];

export const actorNames: Record<LabActor, string> = {
  client: 'Shopper',
  app: 'App',
  database: 'Database',
  provider: 'Bank',
  worker: 'Worker',
};

export const cutNames: Record<CutPoint, string> = {
  before_send: 'before sending',
  after_claim: 'after the claim',
  after_intent: 'after the intent',
  after_confirm_sent: 'after confirm_sent',
  after_charge: 'after the charge',
  before_commit: 'before the commit',
  before_response: 'before the response',
};

type FaultAction = NonNullable<LabScenario['fault']>['action'];

export const faultNames: Record<FaultAction, string> = {
  drop: 'The connection is cut',
  kill: 'The server is killed',
  freeze: 'The server freezes',
  lose_database: 'The database connections end',
};

/** Colours by status, with the same meaning as on the other pages. */
export function statusTone(status: string): 'ok' | 'unknown' | 'busy' | 'plain' {
  if (status === 'completed') return 'ok';
  if (status === 'unknown') return 'unknown';
  return status === 'in_progress' ? 'busy' : 'plain';
}
