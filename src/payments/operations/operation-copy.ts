import type { Money } from '../money.ts';

/**
 * Everything people read that differs by operation. Its keys are also the operation's vocabulary: the recovery points, the
 * provider's states, the assertions and the refusals of an operation are typed by the keys of its copy, so that none can
 * exist without a text.
 */
export interface OperationCopy {
  /** The name of the kind. */
  readonly noun: string;
  /** Beside a row's reference, in lists. Null for the kind that most rows are of. */
  readonly mark: string | null;
  /** The command. */
  readonly requested: string;
  /** The actor of a transition that was made while the request was handled. */
  readonly requestedBy: string;
  /** On the operation's page, in front of the reference. */
  readonly titlePrefix: string;
  /** Names its own state beside the payment's. Null where the operation's own row is the payment. */
  readonly ownStateName: string | null;
  /** The outcome when it succeeded, and when it is proven that it did not happen. */
  readonly outcomes: {
    readonly succeeded: string;
    readonly released: string;
    /** When it had succeeded and was undone later. */
    readonly failed?: string;
    /** Whether its success gives money back instead of taking it. */
    readonly paysBack?: true;
  };
  readonly chart: { readonly series: string; readonly noun: string; readonly tone: ChartTone };
  readonly recoveryPoints: Texts;
  /** The calls to the provider that are made for it. */
  readonly providerCalls: Texts;
  /** Codes that only this operation has, or that mean something more precise for it. */
  readonly causes: Texts;
  /** The states of its own row. */
  readonly ownStates: Texts;
  /** What the provider can say about it, besides the states of `commonCopy`. */
  readonly providerStates: Texts;
  readonly assertions: Readonly<Record<string, AssertionCopy>>;
  /** Why an assertion is refused, besides the refusals of `commonCopy`. */
  readonly refusals: Texts;
  /** The result of a reconciliation: by the cause of its completion, and when its key was released. */
  readonly reconciled: { readonly completed: Readonly<Record<string, Passage>>; readonly released: Passage };
}

type Texts = Readonly<Record<string, string>>;

/** A series of a chart has one of these colours; two operations should not have the same. */
export type ChartTone = 'accent' | 'quiet' | 'ok' | 'warn';

export interface Passage {
  readonly title: string;
  readonly body: string;
}

export interface AssertionCopy {
  readonly label: string;
  /** What it does: to the ledger, and for the shopper. */
  consequence(about: Consequence): string;
}

export interface Consequence {
  readonly amount: Money;
  /** The provider's state. */
  readonly providerState: string;
  /** The provider is asked to cancel before the key is released. */
  readonly cancels: boolean;
}

/** What is the same for every operation. */
export const commonCopy = {
  providerStates: {
    /** Not reached, or no usable response: time-out, reset, 5xx, too many requests. */
    no_response: 'No answer',
    /** It refused the request: no such object, or not for us. */
    refused: 'The request was refused',
    /** Our own record of what was wanted is missing. */
    missing: 'Nothing on record',
  },
  refusals: {
    /** The provider's definitive response is the opposite. */
    provider_says_otherwise: 'The provider says the opposite, and its answer decides.',
    /** It might still happen, and it cannot be cancelled. */
    cannot_be_canceled:
      'It could still happen, and cannot be cancelled now. If the shopper paid again and this went through after all, the shopper would pay twice. Needed: the provider’s answer, or a cancellation there.',
    /** Money did move; only the amount is uncertain. */
    money_moved: 'The provider moved money, but not as requested. Needed: a correction at the provider.',
    nothing_on_record: 'There is nothing on record that could have happened.',
    /** It belongs to another kind of operation. */
    not_of_this_kind: 'Not possible for this kind of operation.',
  },
} as const;
