/**
 * Sections 2 and 3 of the contract once more, as one plain object per key: the reference for the real engine in
 * `model.db.test.ts`. Written from the contract's tables, and importing nothing, so that it cannot share a mistake.
 */
export type Point = 'claimed' | 'prepared' | 'sent' | 'finished';

export interface Life {
  readonly command: string;
  readonly principal: string;
  status: 'in_progress' | 'completed' | 'failed_retryable' | 'unknown' | 'expired';
  attempt: number;
  point: Point;
  /** The lease ran out. */
  stale: boolean;
  /** As long as it is kept. */
  response: string | undefined;
  readonly events: string[];
}

/** An owner's grant. `point` is its own view: it is not informed of what others do to the record. */
export interface Hold {
  readonly key: number;
  readonly life: Life;
  readonly attempt: number;
  point: Point;
}

export type Ending = 'completed' | 'failed_retryable' | 'unknown' | 'throws';

export function createModel() {
  const lives = new Map<number, Life>();

  function move(life: Life, to: Life['status'], point: Point = life.point): void {
    life.events.push(`${life.status} → ${to} #${life.attempt} @${point}`);
    Object.assign(life, { status: to, point, stale: false });
  }

  function grant(key: number, life: Life): Hold {
    return { key, life, attempt: life.attempt, point: life.point };
  }

  function claim(key: number, command: string, principal: string): Hold | string {
    const life = lives.get(key);
    if (!life) {
      const events = ['nothing → in_progress #1 @claimed'];
      const born = { command, principal, attempt: 1, stale: false, response: undefined, events };
      const fresh: Life = { ...born, status: 'in_progress', point: 'claimed' };
      lives.set(key, fresh);
      return grant(key, fresh);
    }
    if (life.principal !== principal) return 'idempotency_key_reused';
    if (life.status === 'expired') return 'idempotency_key_expired';
    if (life.command !== command) return 'idempotency_key_reused';
    expireLease(key);
    if (life.status === 'in_progress') return 'idempotency_key_in_progress';
    if (life.status !== 'failed_retryable') return stored(life);
    life.attempt += 1;
    move(life, 'in_progress');
    return grant(key, life);
  }

  /** An expired lease never allows an execution: the outcome becomes unknown, or the key is released if nothing was sent. */
  function expireLease(key: number): void {
    const life = lives.get(key);
    if (life?.status !== 'in_progress' || !life.stale) return;
    move(life, life.point === 'sent' ? 'unknown' : 'failed_retryable');
  }

  function stored(life: Life | undefined): string {
    if (life?.status === 'unknown') return 'operation_unknown';
    if (life?.status === 'completed')
      return life.response ? `replay ${life.response}` : 'idempotency_key_expired';
    return 'idempotency_key_in_progress';
  }

  function isCurrent({ key, life, attempt }: Hold): boolean {
    return lives.get(key) === life && life.attempt === attempt;
  }

  /** A phase, or with the point it is at already, the extension of a lease. */
  function phase(hold: Hold, point: Point): 'written' | 'refused' {
    const { life } = hold;
    if (!mayWrite(hold)) return 'refused';
    if (life.point !== point) move(life, 'in_progress', point);
    life.stale = false;
    hold.point = point;
    return 'written';
  }

  function mayWrite(hold: Hold): boolean {
    return isCurrent(hold) && hold.life.status === 'in_progress';
  }

  /** A late owner may still resolve its operation while the outcome is unknown. */
  function mayEnd(hold: Hold): boolean {
    return isCurrent(hold) && ['in_progress', 'unknown'].includes(hold.life.status);
  }

  function end(hold: Hold, ending: Ending, response: string): string {
    const thrown = hold.point === 'sent' ? 'unknown' : 'failed_retryable';
    const to = ending === 'throws' ? thrown : ending;
    const { life } = hold;
    const allowed = to === 'unknown' ? mayWrite(hold) : mayEnd(hold);
    if (!allowed) return superseded(hold);
    if (to === 'completed') {
      move(life, to, 'finished');
      life.response = response;
      return `response ${response}`;
    }
    move(life, to, ending === 'failed_retryable' ? 'claimed' : hold.point);
    return to === 'unknown' ? 'operation_unknown' : 'operation_failed';
  }

  /** The caller of a superseded owner gets the stored response; if there is none, it is told to come back. */
  function superseded({ key, life }: Hold): string {
    const result = stored(lives.get(key) === life ? life : undefined);
    return result === 'idempotency_key_expired' ? 'idempotency_key_in_progress' : result;
  }

  /** Evidence, by a reconciler that read the record at this attempt. */
  function resolve(
    key: number,
    attempt: number,
    to: 'completed' | 'failed_retryable',
    response: string,
  ): boolean {
    const life = lives.get(key);
    const allowed = to === 'completed' ? ['in_progress', 'unknown'] : ['unknown'];
    if (life?.attempt !== attempt || !allowed.includes(life.status)) return false;
    move(life, to, to === 'completed' ? 'finished' : 'claimed');
    if (to === 'completed') life.response = response;
    return true;
  }

  function age(key: number, how: 'purge_body' | 'expire' | 'delete'): void {
    const life = lives.get(key);
    if (!life) return;
    if (how === 'purge_body') life.response = undefined;
    if (how === 'expire' && ['completed', 'failed_retryable'].includes(life.status)) move(life, 'expired');
    if (how === 'delete' && life.status === 'expired') lives.delete(key);
  }

  function letLeaseRunOut(key: number): void {
    const life = lives.get(key);
    if (life?.status === 'in_progress') life.stale = true;
  }

  return { lives, claim, expireLease, phase, mayWrite, mayEnd, end, resolve, age, letLeaseRunOut };
}

export type Model = ReturnType<typeof createModel>;
