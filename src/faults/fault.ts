/** The points of one request at which a fault can strike, in order. */
export const cutPoints = [
  'before_send',
  'after_claim',
  'after_intent',
  'after_confirm_sent',
  'after_charge',
  'before_commit',
  'before_response',
] as const;
export type CutPoint = (typeof cutPoints)[number];

/**
 * What happens at the cut. `drop`: the client's connection is cut, and the server goes on. `kill`: SIGKILL, and the server
 * is started again. `freeze`: SIGSTOP, until the step `thaw`. `lose_database`: PostgreSQL terminates every connection of
 * the server.
 */
export type FaultAction = 'drop' | 'kill' | 'freeze' | 'lose_database';

export interface Fault {
  readonly action: FaultAction;
  readonly at: CutPoint;
}

export function isCutPoint(text: string): text is CutPoint {
  return (cutPoints as readonly string[]).includes(text);
}
