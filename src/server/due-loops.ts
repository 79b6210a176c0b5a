import { createDueWork, type DueEvent } from '#reconciliation/index.ts';

/** The two loops that do what time brings. */
export type DueLoop = 'poller' | 'sweeper';

type Parts = Parameters<typeof createDueWork>[0];

/**
 * One worker's poller and sweeper, each with a teller of its own: both tell of one operation among many that went wrong, and
 * an owner that could not be doubted is not a look that failed.
 */
export function createDueLoops(
  parts: Omit<Parts, 'observe' | 'turn'>,
  observe: (event: DueEvent, loop: DueLoop) => void,
): ReturnType<typeof createDueWork> {
  // The reconciler's questions take their turns one by one; a look needs none besides.
  const turn = async () => undefined;
  const workOf = (loop: DueLoop) =>
    createDueWork({ ...parts, turn, observe: (event) => observe(event, loop) });
  return { poll: workOf('poller').poll, sweep: workOf('sweeper').sweep };
}
