import type { OnBehalf, PaymentProvider } from './provider.ts';

/** Every method of the port. Calls that are made for operations have the name that the log and the metrics call them by. */
export const callNames = {
  createIntent: 'create',
  confirmIntent: 'confirm',
  retrieveIntent: 'retrieve',
  cancelIntent: 'cancel',
  createRefund: 'refund',
  findRefund: 'find_refund',
  // These belong to a page or to the circuit, and are not reported.
  findCharges: undefined,
  ping: undefined,
} as const satisfies Record<keyof PaymentProvider, string | undefined>;

export type CallName = NonNullable<(typeof callNames)[keyof PaymentProvider]>;
export const providerCalls: readonly CallName[] = Object.values(callNames).filter(
  (name) => name !== undefined,
);

/** One call, as a decorator sees it. */
export interface DecoratedCall {
  readonly method: keyof PaymentProvider;
  /** Undefined for calls that belong to no operation. */
  readonly of: OnBehalf | undefined;
}

type AnyResult = Awaited<ReturnType<PaymentProvider[keyof PaymentProvider]>>;

/** Runs around every call: it decides when `send` is called, and sees its result. */
export type AroundCall = <Result extends AnyResult>(
  call: DecoratedCall,
  send: () => Promise<Result>,
) => Promise<Result>;

/** The same provider with `around` each of its calls. The only place that lists the methods of the port to wrap them. */
export function decorateProvider(provider: PaymentProvider, around: AroundCall): PaymentProvider {
  return {
    createIntent: (request) =>
      around({ method: 'createIntent', of: request }, () => provider.createIntent(request)),
    confirmIntent: (id, request) =>
      around({ method: 'confirmIntent', of: request }, () => provider.confirmIntent(id, request)),
    retrieveIntent: (id, of) =>
      around({ method: 'retrieveIntent', of }, () => provider.retrieveIntent(id, of)),
    cancelIntent: (id, of) => around({ method: 'cancelIntent', of }, () => provider.cancelIntent(id, of)),
    createRefund: (request) =>
      around({ method: 'createRefund', of: request }, () => provider.createRefund(request)),
    findRefund: (request) =>
      around({ method: 'findRefund', of: request }, () => provider.findRefund(request)),
    findCharges: (wanted) =>
      around({ method: 'findCharges', of: undefined }, () => provider.findCharges(wanted)),
    ping: () => around({ method: 'ping', of: undefined }, () => provider.ping()),
  };
}
