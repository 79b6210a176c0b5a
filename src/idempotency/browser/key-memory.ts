/**
 * Where a browser keeps the name of an attempt. It must outlive everything that can happen to a page (reload, crash,
 * restart of the browser) and be seen by every tab, so it is local storage, one entry per thing to be done once.
 *
 * - `minted`: the key has a name but no past; nothing was sent under it.
 * - `open`: sent, and not known how it ended. The tab that holds the lock continues it.
 * - `given_up`: the same, but no tab continues by itself; the next submit does.
 * - `closed`: certain that nothing happened under the key. The same command goes on under it, another gets a new key.
 * - `ended`: the definitive response came. The next command gets a new key.
 */
export const keyPhases = ['minted', 'open', 'given_up', 'closed', 'ended'] as const;
export type KeyPhase = (typeof keyPhases)[number];

export interface RememberedKey {
  readonly key: string;
  /** What was sent under the key, as JSON; null while nothing has been sent. */
  readonly command: string | null;
  readonly phase: KeyPhase;
}

export interface KeyMemory {
  read(scope: string): RememberedKey | undefined;
  write(scope: string, attempt: RememberedKey): void;
}

/** Private windows and full disks make storage throw; a key in memory still protects against everything but a reload. */
export function createKeyMemory(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined): KeyMemory {
  const fallback = new Map<string, RememberedKey>();
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

/** Whether two reads of the memory are equal: if not, another tab worked in between. */
export function isSameKey(one: RememberedKey | undefined, other: RememberedKey): boolean {
  return one?.key === other.key && one.command === other.command && one.phase === other.phase;
}

function entryOf(scope: string): string {
  return `paidonce.attempt.${scope}`;
}

function parse(text: string): RememberedKey | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('key' in value) || !('command' in value))
    return undefined;
  const { key, command } = value;
  if (typeof key !== 'string' || (command !== null && typeof command !== 'string')) return undefined;
  // An unknown version of this page wrote it; if something was sent, the server is asked for the status.
  const phase = keyPhases.find((name) => 'phase' in value && value.phase === name);
  return { key, command, phase: phase ?? (command === null ? 'minted' : 'open') };
}
