import type { RestState } from './submission-state.ts';

/**
 * How far a key has been used. Keys are kept in local storage, one entry per scope, because they must survive a reload, a
 * crash and a restart of the browser, and be visible to all tabs.
 *
 * - `minted`: nothing was sent under the key.
 * - `unresolved`: a command was sent and its outcome is not known. The tab that holds the lock continues it.
 * - `given_up`: the same, but only the next submit continues it.
 * - `released`: nothing happened under the key. The same command is sent under it, another one gets a new key.
 * - `ended`: there was a definitive response. The next command gets a new key.
 */
export const keyStages = ['minted', 'unresolved', 'given_up', 'released', 'ended'] as const;
export type KeyStage = (typeof keyStages)[number];

export interface RememberedKey {
  readonly key: string;
  /** The command that was sent under the key, as `writeCommand` writes it; null while none was sent. */
  readonly command: string | null;
  readonly stage: KeyStage;
}

export interface KeyMemory {
  read(scope: string): RememberedKey | undefined;
  write(scope: string, entry: RememberedKey): void;
}

/** As JSON, or nothing for a command that is undefined: a mutation may have no input. */
export function writeCommand(command: unknown): string {
  return command === undefined ? '' : JSON.stringify(command);
}

export function readCommand(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

/** How far a key has been used when its command has come to rest. */
export function stageAfter<Result>(rest: RestState<Result>): KeyStage {
  switch (rest.kind) {
    case 'done':
      return 'ended';
    case 'ready':
      return rest.keySpent ? 'ended' : 'released';
    case 'refused':
      return rest.problem.keyUsable ? 'released' : 'ended';
    case 'gave_up':
      return 'given_up';
  }
}

/** The last entry that this page wrote for a scope, and what storage has in its place if it could not be stored. */
interface OwnEntry {
  readonly entry: RememberedKey;
  readonly instead: string | null;
}

/** All forms of a page share it: one that is left and opened again continues under its key. */
const entriesOfPage = new Map<string, OwnEntry>();

/**
 * Storage throws in private windows, and where it has no room. An entry in memory is then lost only by a reload. An older one that
 * is left in storage must not be taken for it: the result of the command before would be shown as that of this one. So the key
 * alone takes its place, if there is room for that.
 */
export function createKeyMemory(
  storage: Pick<Storage, 'getItem' | 'setItem'> | undefined,
  entries: Map<string, OwnEntry> = entriesOfPage,
): KeyMemory {
  return {
    read(scope) {
      const own = entries.get(scope);
      const text = stored(scope);
      if (text === null || text === own?.instead) return own?.entry;
      try {
        return parse(text);
      } catch {
        return own?.entry;
      }
    },
    write(scope, entry) {
      if (store(scope, entry)) return void entries.set(scope, { entry, instead: null });
      store(scope, { key: entry.key, command: null, stage: entry.stage === 'ended' ? 'ended' : 'minted' });
      entries.set(scope, { entry, instead: stored(scope) });
    },
  };

  function stored(scope: string): string | null {
    try {
      return storage?.getItem(storageName(scope)) ?? null;
    } catch {
      return null;
    }
  }

  function store(scope: string, entry: RememberedKey): boolean {
    try {
      storage?.setItem(storageName(scope), JSON.stringify(entry));
      return true;
    } catch {
      return false;
    }
  }
}

/** A command that waits for the tab lock. `remembered` is undefined if it was submitted before the memory was read. */
export interface PendingCommand<Command> {
  readonly command: Command;
  readonly remembered: RememberedKey | undefined;
}

/** A command is dropped if another tab sent one while this tab waited for the lock: the form it came from is outdated. */
export function isCurrent<Command>(pending: PendingCommand<Command>, now: RememberedKey): boolean {
  return pending.remembered ? isSameEntry(pending.remembered, now) : now.stage === 'minted';
}

/** Whether two reads of the memory are equal: if not, another tab has written in between. */
function isSameEntry(one: RememberedKey | undefined, other: RememberedKey): boolean {
  return one?.key === other.key && one.command === other.command && one.stage === other.stage;
}

function storageName(scope: string): string {
  return `paidonce.key.${scope}`;
}

/** Visible ASCII without quote, comma and backslash, as the server takes it in the header. */
const usableKey = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{16,255}$/;

function parse(text: string): RememberedKey | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('key' in value) || !('command' in value))
    return undefined;
  const { key } = value;
  // Another program may have written it. A key that no server takes has had no effect, and would be refused for ever.
  if (typeof key !== 'string' || !usableKey.test(key)) return undefined;
  if (value.command !== null && typeof value.command !== 'string') return undefined;
  // The key is kept without its command: another command under it is refused by the server, and the same one replayed.
  if (value.command !== null && !isReadable(value.command)) return { key, command: null, stage: 'minted' };
  const { command } = value;
  // Another version of this page wrote the entry. If a command was sent, `unresolved` has the server asked for its status.
  const stage = keyStages.find((name) => 'stage' in value && value.stage === name);
  return { key, command, stage: stage ?? (command === null ? 'minted' : 'unresolved') };
}

function isReadable(text: string): boolean {
  try {
    readCommand(text);
    return true;
  } catch {
    return false;
  }
}
