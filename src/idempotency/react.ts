'use client';

import { useEffect, useState, useSyncExternalStore } from 'react';
import { type Asked, Attempt, type AttemptState, type Sent } from './browser/attempt.ts';
import { createAttemptMemory } from './browser/attempt-memory.ts';

export type { Asked, AttemptState, RefusalProblem, Sent, WaitReason } from './browser/attempt.ts';

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
 * A mutation whose key is minted when the component mounts, kept across retries, reloads and tabs, and replaced only
 * when the attempt ended definitively or something else is being sent. `scope` names the thing to be done once.
 */
export function useIdempotentMutation<Command, Answer>(options: {
  readonly scope: string;
  send(command: Command, key: string): Promise<Sent<Answer>>;
  ask(key: string): Promise<Asked<Answer>>;
}): IdempotentMutation<Command, Answer> {
  const { scope, send, ask } = options;
  const [attempt, setAttempt] = useState<Attempt<Command, Answer>>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt outlives the closures it was made with; its scope is its identity
  useEffect(() => {
    const created = new Attempt<Command, Answer>({
      scope,
      memory: createAttemptMemory(safeStorage()),
      send,
      ask,
      mintKey,
      now: Date.now,
      pause,
      random: Math.random,
    });
    setAttempt(created);
    void created.restore();
    // `navigator.onLine` is a hint, never a gate: being online again ends a pause, being offline ends nothing.
    const online = () => created.hurry();
    window.addEventListener('online', online);
    return () => {
      window.removeEventListener('online', online);
      created.dispose();
    };
  }, [scope]);

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

const restoring = { kind: 'restoring' } as const;

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
