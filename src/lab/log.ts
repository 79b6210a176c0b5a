import type { ServerEvent } from './lane/messages.ts';
import type { KeyName } from './scenario.ts';

/** What the lab's clients did and saw. Times are epoch milliseconds, of the machine that everything runs on. */
export type ClientEvent = {
  readonly atMs: number;
  readonly caller: number;
  readonly key: KeyName;
} & (
  | { readonly what: 'sent'; readonly amountMinor: number; readonly card: string }
  /** The request did not leave. */
  | { readonly what: 'not_sent'; readonly why: 'network' | 'refused' }
  | {
      readonly what: 'responded';
      readonly status: number;
      readonly code: string | undefined;
      readonly replayed: boolean;
    }
  /** The request left, and no response came back. */
  | { readonly what: 'lost'; readonly why: 'connection' | 'timeout' }
  | { readonly what: 'read_status'; readonly status: string }
);

/** Everything that the lab itself knows of one lane. The rest of the trace comes from the database and the provider. */
export type LogEntry =
  | ClientEvent
  | ServerEvent
  | { readonly atMs: number; readonly what: 'started' | 'thawed' | 'operator' | 'reaped' };
