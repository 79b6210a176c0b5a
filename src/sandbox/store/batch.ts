/**
 * Natural batching: callers that arrive while a statement is under way share the next one, which is one round trip and
 * one commit for all of them. There is no timer, so a single caller is a batch of one and waits for nothing.
 *
 * - One statement is under way at a time, because one large one is cheaper than several small ones. While it is slow, for
 *   instance because another session has locked a row, the others go on without it.
 * - Two items with a name in common are never in one statement, nor under way in two at once: the later one has to see
 *   what the earlier one wrote.
 * - When the database refuses a statement because of a row, its items are sent again one by one, so that only the item
 *   with that row fails.
 */
export interface BatchOptions<Item, Result> {
  /** Runs one statement for all items and returns their results in the same order. */
  readonly execute: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** What the item writes, or what it relies on. Default: nothing. */
  readonly namesOf?: (item: Item) => readonly string[];
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly names: readonly string[];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

// A confirm has about ten kilobytes of parameters, so a full batch is well below a megabyte.
const MAX_ITEMS = 64;

// Several times what a statement takes. The pool has ten connections, and reads and webhooks need some of them.
const SLOW_AFTER_MS = 25;
const MAX_STATEMENTS = 4;

// SQLSTATE classes of errors that one row causes: bad data, a violated constraint, and a deadlock.
const ROW_ERRORS = ['22', '23', '40'];

export class Batch<Item, Result> {
  readonly #execute: BatchOptions<Item, Result>['execute'];
  readonly #namesOf: (item: Item) => readonly string[];
  readonly #namesUnderWay = new Set<string>();
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;
  #slow = 0;
  #scheduled = false;

  constructor({ execute, namesOf = () => [] }: BatchOptions<Item, Result>) {
    this.#execute = execute;
    this.#namesOf = namesOf;
  }

  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, names: this.#namesOf(item), resolve, reject });
      this.#schedule();
    });
  }

  /** After the current turn of the event loop, so that requests that arrive in the same turn share a statement. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    if (this.#underWay > this.#slow || this.#underWay >= MAX_STATEMENTS) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const taken = this.#take();
      if (taken.length > 0) void this.#runStatement(taken);
    });
  }

  #take(): Waiting<Item, Result>[] {
    const taken: Waiting<Item, Result>[] = [];
    this.#waiting = this.#waiting.filter((waiting) => {
      const { names } = waiting;
      if (taken.length === MAX_ITEMS || names.some((name) => this.#namesUnderWay.has(name))) return true;
      for (const name of names) this.#namesUnderWay.add(name);
      taken.push(waiting);
      return false;
    });
    return taken;
  }

  async #runStatement(taken: Waiting<Item, Result>[]): Promise<void> {
    this.#underWay += 1;
    let isSlow = false;
    const slowTimer = setTimeout(() => {
      isSlow = true;
      this.#slow += 1;
      this.#schedule();
    }, SLOW_AFTER_MS);
    await this.#executeItems(taken);
    clearTimeout(slowTimer);
    for (const name of taken.flatMap(({ names }) => names)) this.#namesUnderWay.delete(name);
    this.#underWay -= 1;
    if (isSlow) this.#slow -= 1;
    this.#schedule();
  }

  async #executeItems(taken: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#execute(taken.map(({ item }) => item));
      for (const [index, { resolve }] of taken.entries()) resolve(results[index] as Result);
    } catch (error) {
      if (taken.length > 1 && isRowError(error)) for (const one of taken) await this.#executeItems([one]);
      else for (const { reject } of taken) reject(error);
    }
  }
}

/** A lost connection is no fault of a row: it concerns all items alike, and whether they were committed is not known. */
function isRowError(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.length === 5 && ROW_ERRORS.includes(code.slice(0, 2));
}
