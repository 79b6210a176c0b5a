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
  LostResult,
  RefusalProblem,
  SendResult,
  StatusResult,
  SubmissionState,
  SubmissionTransport,
  WaitReason,
} from './browser/submission-state.ts';

export interface IdempotentMutation<Command, Result> {
  readonly state: SubmissionState<Result>;
  /** Undefined until JavaScript runs. */
  readonly key: string | undefined;
  /** The command that was sent under the key, unless it has ended definitively. */
  readonly sent: Command | undefined;
  /** The command is stored as JSON before it is sent, and is sent as it was stored; undefined if there is no input. */
  submit(command: Command): void;
  /** Ends the pause before the next try, unless the server has said how long to wait. */
  retryNow(): void;
  /** After a definitive response: the next submit is a new command. */
  reset(): void;
}

/**
 * A mutation whose key is minted when the component mounts, shared by all tabs of the browser, kept across retries,
 * reloads and restarts, and replaced only after a definitive response or, when nothing happened under it, by another
 * command. `scope` names what is to be done once.
 */
export function useIdempotentMutation<Command, Result>(
  options: { readonly scope: string } & SubmissionTransport<Command, Result>,
): IdempotentMutation<Command, Result> {
  const { scope, ...transport } = options;
  const [mounted, setMounted] = useState<{ scope: string; submission: Submission<Command, Result> }>();
  // A component that is rendered for another scope has no submission yet: the state of the one before, perhaps `done`, is not
  // that of this scope.
  const submission = mounted?.scope === scope ? mounted.submission : undefined;
  /** How often the page was restored from the back-forward cache, with a state that may be outdated. */
  const [cacheRestores, setCacheRestores] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a submission outlives the closures it was made with; its scope is its identity
  useEffect(() => {
    const created = createSubmission(scope, transport);
    setMounted({ scope, submission: created });
    void created.restore();
    // `navigator.onLine` is only a hint: coming online ends a pause, going offline stops nothing.
    const retryNow = () => created.retryNow();
    const onVisible = () => document.visibilityState === 'visible' && created.retryNow();
    const onPageShow = (event: PageTransitionEvent) =>
      event.persisted && setCacheRestores((count) => count + 1);
    window.addEventListener('online', retryNow);
    window.addEventListener('pageshow', onPageShow);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      window.removeEventListener('online', retryNow);
      window.removeEventListener('pageshow', onPageShow);
      document.removeEventListener('visibilitychange', onVisible);
      created.dispose();
    };
  }, [scope, cacheRestores]);

  const state = useSyncExternalStore<SubmissionState<Result>>(
    (listener) => submission?.subscribe(listener) ?? (() => undefined),
    () => submission?.state ?? restoring,
    () => restoring,
  );
  return {
    state,
    key: submission?.key,
    sent: submission?.sent,
    submit: (command) => void submission?.submit(command),
    retryNow: () => submission?.retryNow(),
    reset: () => submission?.reset(),
  };
}

const restoring = { kind: 'restoring', tries: 0 } as const;

function createSubmission<Command, Result>(scope: string, transport: SubmissionTransport<Command, Result>) {
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

/** `randomUUID` exists on https and localhost only; a shop on a plain LAN address gets 128 random bits instead. */
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
