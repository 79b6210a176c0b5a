/**
 * Where a browser keeps the name of an attempt. It must outlive everything that can happen to a page (reload, crash,
 * restart of the browser) and be seen by every tab, so it is local storage, one entry per thing to be done once.
 *
 * - `minted`: the key has a name but no past; nothing was sent under it.
 * - `open`: sent, and not known how it ended. Whoever holds the lock drives it; whoever finds it without a driver does.
 * - `given_up`: the same, but nobody goes on by itself. A person may.
 * - `closed`: certain that nothing happened under the key. The same command goes on under it, another gets a new key.
 * - `ended`: the definitive answer came. The key has done its work; the next command gets a new one.
 */
export const attemptPhases = ['minted', 'open', 'given_up', 'closed', 'ended'] as const;
export type AttemptPhase = (typeof attemptPhases)[number];

export interface RememberedAttempt {
  readonly key: string;
  /** What was sent under the key, as JSON; null while nothing has been sent. */
  readonly command: string | null;
  readonly phase: AttemptPhase;
}

export interface AttemptMemory {
  read(scope: string): RememberedAttempt | undefined;
  write(scope: string, attempt: RememberedAttempt): void;
}

/** Private windows and full disks make storage throw; a key in memory still protects against everything but a reload. */
export function createAttemptMemory(
  storage: Pick<Storage, 'getItem' | 'setItem'> | undefined,
): AttemptMemory {
  const fallback = new Map<string, RememberedAttempt>();
  return {
    read(scope) {
      try {
        const text = storage?.getItem(entryOf(scope));
        return text ? parse(text) : fallback.get(scope);
      } catch {
        return fallback.get(scope);
      }
    },
    write(scope, attempt) {
      fallback.set(scope, attempt);
      try {
        storage?.setItem(entryOf(scope), JSON.stringify(attempt));
      } catch {
        // The fallback has it.
      }
    },
  };
}

/** Whether two looks at the memory saw the same thing: if not, another tab was at work in between. */
export function isSameAttempt(one: RememberedAttempt | undefined, other: RememberedAttempt): boolean {
  return one?.key === other.key && one.command === other.command && one.phase === other.phase;
}

function entryOf(scope: string): string {
  return `paidonce.attempt.${scope}`;
}

function parse(text: string): RememberedAttempt | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('key' in value) || !('command' in value))
    return undefined;
  const { key, command } = value;
  if (typeof key !== 'string' || (command !== null && typeof command !== 'string')) return undefined;
  // What an unknown version of this page wrote about an attempt that was sent is worth a question to the server.
  const phase = attemptPhases.find((name) => 'phase' in value && value.phase === name);
  return { key, command, phase: phase ?? (command === null ? 'minted' : 'open') };
}
