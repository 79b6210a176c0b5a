import type { CutPoint, Fault } from './fault.ts';

/** The fault that is to strike next. It strikes the first request that reaches its point, once. */
export class ArmedFault {
  #fault: Fault | undefined;

  arm(fault: Fault | undefined): void {
    this.#fault = fault;
  }

  isArmedFor(point: CutPoint): boolean {
    return this.#fault?.at === point;
  }

  /** Called by a request at each point that it reaches. The fault is the caller's to carry out, and no longer armed. */
  take(point: CutPoint): Fault | undefined {
    if (!this.isArmedFor(point)) return undefined;
    const fault = this.#fault;
    this.#fault = undefined;
    return fault;
  }
}
