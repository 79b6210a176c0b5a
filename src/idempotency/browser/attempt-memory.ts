/**
 * Where a browser keeps the name of a payment attempt. It must outlive everything that can happen to a page (reload,
 * crash, restart of the browser) and be seen by every tab, so it is local storage, one entry per thing to be paid.
 */
export interface RememberedAttempt {
  readonly key: string;
  /** What was sent under the key, as JSON; null while nothing has been sent. */
  readonly command: string | null;
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

function entryOf(scope: string): string {
  return `paidonce.attempt.${scope}`;
}

function parse(text: string): RememberedAttempt | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('key' in value) || !('command' in value))
    return undefined;
  const { key, command } = value;
  if (typeof key !== 'string' || (command !== null && typeof command !== 'string')) return undefined;
  return { key, command };
}
