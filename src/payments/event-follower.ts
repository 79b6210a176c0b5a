import type { OperationRef } from '#idempotency/index.ts';
import type { ListedObject } from './provider.ts';

/** An event of the provider. It is a hint where to ask, never evidence: it may be old, duplicated or out of order. */
export interface ProviderEvent {
  /** From our own metadata on the object that the event is about. */
  readonly operation: OperationRef;
  /** The type of the object that it is about, as the provider calls it. Undefined: its payload is no longer kept. */
  readonly object: string | undefined;
  readonly objectId?: string | undefined;
  /** The intent that it is about, or to which its charge or refund belongs. Undefined: the payment's own. */
  readonly intentId: string | undefined;
  /** The provider's status of the object when the event was made. Where a response contradicts it, one of them is wrong. */
  readonly state?: string | undefined;
  /** It is about something that was made in the provider's dashboard, and `operation` is that of its payment. */
  readonly isFromDashboard?: boolean;
}

/** An event about an object without metadata of ours, which was not made by us. */
export type DashboardEvent = Omit<ProviderEvent, 'operation'>;

/** What our books have on the provider's response, so that its lists must have it too. */
export interface BookedObject {
  readonly object: ListedObject['object'];
  readonly id: string;
  /** By the provider's clock. Undefined: the provider does not say that it has it. */
  readonly createdAt: Date | undefined;
}

/** The provider gave no definitive response. Nothing else will ask again, so the caller has to. */
export interface NoEvidence {
  readonly kind: 'no_evidence';
  readonly code: string;
}

export type Followed =
  /** The provider's response changed something: what the inbox records. */
  | { readonly kind: 'changed'; readonly outcome: string }
  /** What an operator asserted is neither confirmed nor denied so far. */
  | { readonly kind: 'undecided'; readonly code: string }
  | NoEvidence;

/**
 * What an event means for an operation that is over: money may still move, and nothing else asks the provider any more. A
 * follower finds what it follows by the operation's id in its own table, because the record may have been deleted.
 */
export interface EventFollower {
  /** The newest that was booked, of each kind of object. Asked while a database is compared with the provider, which is rare. */
  listNewestBooked(): Promise<BookedObject[] | NoEvidence>;
  /**
   * For a database that may have lost its last commits: what the provider made before that, and an attempt that was lost may have
   * continued with, as it is at the provider now. What was made since is listed by the provider itself.
   */
  listEarlier(before: Date): Promise<ListedObject[] | NoEvidence>;
  /**
   * Writes again what the provider lists and our own row lacks, so that no later attempt makes it a second time. What nothing of
   * ours expects to be under way is stopped, because a request for it may be. Asked before the operation is reconciled.
   */
  restore(listed: ListedObject): Promise<NoEvidence | undefined>;
  /** The operation of the payment that something made in the provider's dashboard belongs to. Undefined: to none of ours. */
  identify(event: DashboardEvent): Promise<OperationRef | NoEvidence | undefined>;
  /**
   * Asked before the operation is reconciled, and again when that has completed it: whether the event is about something that
   * the operation does not use, or no longer.
   */
  isOfEarlierGeneration(event: ProviderEvent): Promise<boolean>;
  /** Undefined: it is not about anything of this follower, or there is nothing to do. */
  follow(event: ProviderEvent): Promise<Followed | undefined>;
}

/** For an operation after which nothing of its own can happen at the provider. */
export const followsNothing: EventFollower = {
  listNewestBooked: async () => [],
  listEarlier: async () => [],
  restore: async () => undefined,
  identify: async () => undefined,
  isOfEarlierGeneration: async () => false,
  follow: async () => undefined,
};
