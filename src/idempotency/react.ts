'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { createKeyMemory } from './browser/key-memory.ts';
import { Submission } from './browser/submission.ts';
import type { SubmissionState, SubmissionTransport } from './browser/submission-state.ts';
import { channelOfBrowser } from './browser/tab-channel.ts';
import { locksOfBrowser } from './browser/tab-locks.ts';

export { maxTries } from './browser/request-loop.ts';
export type {
  BusyState,
  RefusalProblem,
  SendResult,
  StatusResult,
  SubmissionState,
  WaitReason,
} from './browser/submission-state.ts';

export interface IdempotentMutation<Command, Result> {
  readonly state: SubmissionState<Result>;
  /** The attempt's name, once the page is alive in the browser. */
  readonly key: string | undefined;
  /** What was sent under the key and has not ended definitively. */
  readonly sent: Command | undefined;
  submit(command: Command): void;
  /** Ends the pause of an attempt that goes on by itself, unless the server has said how long to wait. */
  retryNow(): void;
  reset(): void;
}

/**
 * A mutation whose key is minted when the component mounts, shared by all tabs of the browser, kept across retries,
 * reloads and restarts, and replaced only when the attempt ended definitively or something else is being sent. `scope`
 * names the thing to be done once.
 */
export function useIdempotentMutation<Command, Result>(
  options: { readonly scope: string } & SubmissionTransport<Command, Result>,
): IdempotentMutation<Command, Result> {
  const { scope, ...transport } = options;
  const [attempt, setAttempt] = useState<Submission<Command, Result>>();
  /** How often the page was taken out of the browser's back-forward cache: what it knew then is old. */
  const [revivals, setRevivals] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt outlives the closures it was made with; its scope is its identity
  useEffect(() => {
    const created = openAttempt(scope, transport);
    setAttempt(created);
    void created.restore();
    // `navigator.onLine` is a hint, never a gate: being online again ends a pause, being offline ends nothing.
    const retryNow = () => created.retryNow();
    const onVisible = () => document.visibilityState === 'visible' && created.retryNow();
    const revived = (event: PageTransitionEvent) => event.persisted && setRevivals((times) => times + 1);
    window.addEventListener('online', retryNow);
    window.addEventListener('pageshow', revived);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      window.removeEventListener('online', retryNow);
      window.removeEventListener('pageshow', revived);
      document.removeEventListener('visibilitychange', onVisible);
      created.dispose();
    };
  }, [scope, revivals]);

  const state = useSyncExternalStore<SubmissionState<Result>>(
    (listener) => attempt?.subscribe(listener) ?? (() => undefined),
    () => attempt?.state ?? restoring,
    () => restoring,
  );
  return {
    state,
    key: attempt?.key,
    sent: attempt?.sent,
    submit: (command) => void attempt?.submit(command),
    retryNow: () => attempt?.retryNow(),
    reset: () => attempt?.reset(),
  };
}

const restoring = { kind: 'restoring', tries: 0 } as const;

function openAttempt<Command, Result>(scope: string, transport: SubmissionTransport<Command, Result>) {
  const storage = safeStorage();
  return new Submission<Command, Result>({
    scope,
    memory: createKeyMemory(storage),
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
