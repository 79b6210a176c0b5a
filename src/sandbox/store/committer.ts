import { Batch } from './batch.ts';
import type { Changes } from './changes.ts';
import { type Commit, type CommitResult, type KeyRow, readRowsOf, statementFor } from './commit-statement.ts';
import { onlyRow, type Pool, type Queryable } from './database.ts';

export interface Listeners {
  /** Deliveries were committed. */
  deliveriesAdded(): void;
  /** A payment was committed that ends by itself, at a later time. */
  processingStarted(): void;
}

/**
 * One statement is one transaction: the stored response of the key, intent, charge, refund, events and their pending
 * deliveries are written together or not at all, in one round trip, and no transaction is ever open while the sandbox
 * computes. It replaces row locks by versions: a row that was read must still have the version that was read. If it has
 * another one, or if the key is already stored, nothing of the request is written and the caller reads again. Requests
 * that commit at the same time share a statement, and with it the wait for the disk.
 */
export class Committer {
  readonly #listeners: Listeners;
  readonly #batch: Batch<Commit, boolean>;

  constructor(pool: Pool, listeners: Listeners) {
    this.#listeners = listeners;
    this.#batch = new Batch({ execute: (commits) => this.#write(pool, commits), namesOf });
  }

  /** False: nothing was written, because a row has changed since it was read or because the key is stored already. */
  commit(changes: Changes, key?: KeyRow): Promise<boolean> {
    return this.#batch.run({ changes, key });
  }

  /** The same within the caller's transaction, and by itself. */
  async commitIn(transaction: Queryable, changes: Changes): Promise<boolean> {
    const [granted = false] = await this.#write(transaction, [{ changes, key: undefined }]);
    return granted;
  }

  async #write(db: Queryable, commits: readonly Commit[]): Promise<boolean[]> {
    const { rows } = await db.query<CommitResult>(statementFor(commits));
    const { granted, deliveries } = onlyRow(rows);
    const wasGranted = commits.map((_, index) => granted.includes(index + 1));
    if (deliveries > 0) this.#listeners.deliveriesAdded();
    if (commits.some(({ changes }, index) => wasGranted[index] && changes.finishesLater)) {
      this.#listeners.processingStarted();
    }
    return wasGranted;
  }
}

function namesOf(commit: Commit): string[] {
  const ids = readRowsOf(commit).map(({ id }) => id);
  return commit.key ? [`key ${commit.key.key}`, ...ids] : ids;
}
