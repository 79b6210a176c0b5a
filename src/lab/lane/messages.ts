import type { Fault } from '#faults/index.ts';

/** Names the client's connection, so that the client knows which one to cut. */
export const connectionHeader = 'lab-connection';

/** What a lane's server is to do for the next run. Sent over the process's channel, so it needs no route. */
export interface Preparation {
  readonly fault?: Fault | undefined;
  /** The provider will not respond, so the naive checkout gives up soon. */
  readonly silentProvider?: boolean | undefined;
}

/** What happened in a lane's server. Times are epoch milliseconds. */
export type ServerEvent = { readonly atMs: number } & (
  | { readonly what: 'received' }
  | { readonly what: 'finished' }
  /** `connection`: of the request that was struck. */
  | {
      readonly what: 'struck';
      readonly fault: Fault;
      readonly connection?: string | string[] | undefined;
    }
  /** The end of a call to the provider, as the server saw it. `lost`: it cannot know whether the call was carried out. */
  | {
      readonly what: 'provider_responded';
      readonly call: string;
      readonly result: string;
      readonly lost: boolean;
    }
  | { readonly what: 'saved' }
  /** The record has moved on since the owner's claim, so the database does not take the owner's write. */
  | { readonly what: 'write_refused' }
);

/** A distributed omit: `Omit` alone would merge the union into one type. */
export type UntimedEvent = ServerEvent extends infer Event
  ? Event extends ServerEvent
    ? Omit<Event, 'atMs'>
    : never
  : never;

export type LaneMessage =
  | { readonly type: 'ready'; readonly url: string }
  | { readonly type: 'prepared' }
  | { readonly type: 'event'; readonly event: ServerEvent };
