'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { Attempt } from './browser/submission.ts';
import { channelOfBrowser } from './browser/tab-channel.ts';
import { locksOfBrowser } from './browser/tab-locks.ts';
import { createAttemptMemory } from './browser/key-memory.ts';
import type { AttemptState, AttemptTransport } from './browser/submission-state.ts';

export type {
  Asked,
  AttemptState,
  BusyState,
  RefusalProblem,
  Sent,
  WaitReason,
} from './browser/submission-state.ts';
export { maxTries } from './browser/request-loop.ts';

export interface IdempotentMutation<Command, Answer> {
  readonly state: AttemptState<Answer>;
  /** The attempt's name, once the page is alive in the browser. */
  readonly key: string | undefined;
  /** What was sent under the key and has not ended definitively. */
  readonly sent: Command | undefined;
  submit(command: Command): void;
  /** Ends the pause of an attempt that goes on by itself, unless the server has said how long to wait. */
  hurry(): void;
  reset(): void;
}

/**
 * A mutation whose key is minted when the component mounts, shared by all tabs of the browser, kept across retries,
 * reloads and restarts, and replaced only when the attempt ended definitively or something else is being sent. `scope`
 * names the thing to be done once.
 */
export function useIdempotentMutation<Command, Answer>(
  options: { readonly scope: string } & AttemptTransport<Command, Answer>,
): IdempotentMutation<Command, Answer> {
  const { scope, ...transport } = options;
  const [attempt, setAttempt] = useState<Attempt<Command, Answer>>();
  /** How often the page was taken out of the browser's back-forward cache: what it knew then is old. */
  const [revivals, setRevivals] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt outlives the closures it was made with; its scope is its identity
  useEffect(() => {
    const created = openAttempt(scope, transport);
    setAttempt(created);
    void created.restore();
    // `navigator.onLine` is a hint, never a gate: being online again ends a pause, being offline ends nothing.
    const hurry = () => created.hurry();
    const seen = () => document.visibilityState === 'visible' && created.hurry();
    const revived = (event: PageTransitionEvent) => event.persisted && setRevivals((times) => times + 1);
    window.addEventListener('online', hurry);
    window.addEventListener('pageshow', revived);
    document.addEventListener('visibilitychange', seen);
    return () => {
      window.removeEventListener('online', hurry);
      window.removeEventListener('pageshow', revived);
      document.removeEventListener('visibilitychange', seen);
      created.dispose();
    };
  }, [scope, revivals]);

  const state = useSyncExternalStore<AttemptState<Answer>>(
    (listener) => attempt?.subscribe(listener) ?? (() => undefined),
    () => attempt?.state ?? restoring,
    () => restoring,
  );
  return {
    state,
    key: attempt?.key,
    sent: attempt?.sent,
    submit: (command) => void attempt?.submit(command),
    hurry: () => attempt?.hurry(),
    reset: () => attempt?.reset(),
  };
}

const restoring = { kind: 'restoring', tries: 0 } as const;

function openAttempt<Command, Answer>(scope: string, transport: AttemptTransport<Command, Answer>) {
  const storage = safeStorage();
  return new Attempt<Command, Answer>({
    scope,
    memory: createAttemptMemory(storage),
    locks: locksOfBrowser(storage),
    openChannel: channelOfBrowser(storage),
    transport,
    clock: { now: Date.now, pause, random: Math.random },
    mintKey,
  });
}

/** `randomUUID` exists on https and localhost only; a shop on a plain LAN address gets the same 122 bits by hand. */
function mintKey(): string {
  if ('randomUUID' in crypto) return crypto.randomUUID();
  const bytes = (crypto as Crypto).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function safeStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
