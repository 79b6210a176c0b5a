import type { OperationContext, PaymentProvider } from './provider.ts';

/** Every method of the port. Calls that are made for operations have the name that the log and the metrics call them by. */
export const callNames = {
  createIntent: 'create',
  confirmIntent: 'confirm',
  retrieveIntent: 'retrieve',
  cancelIntent: 'cancel',
  createRefund: 'refund',
  findRefund: 'find_refund',
  // These belong to a page, to the circuit or to a comparison, and are not reported.
  findCharges: undefined,
  listCreated: undefined,
  listEvents: undefined,
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
  readonly operation: OperationContext | undefined;
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
      around({ method: 'createIntent', operation: request }, () => provider.createIntent(request)),
    confirmIntent: (id, request) =>
      around({ method: 'confirmIntent', operation: request }, () => provider.confirmIntent(id, request)),
    retrieveIntent: (id, operation) =>
      around({ method: 'retrieveIntent', operation }, () => provider.retrieveIntent(id, operation)),
    cancelIntent: (id, operation) =>
      around({ method: 'cancelIntent', operation }, () => provider.cancelIntent(id, operation)),
    createRefund: (request) =>
      around({ method: 'createRefund', operation: request }, () => provider.createRefund(request)),
    findRefund: (request) =>
      around({ method: 'findRefund', operation: request }, () => provider.findRefund(request)),
    findCharges: (wanted) =>
      around({ method: 'findCharges', operation: undefined }, () => provider.findCharges(wanted)),
    listCreated: (page) =>
      around({ method: 'listCreated', operation: undefined }, () => provider.listCreated(page)),
    listEvents: (page) =>
      around({ method: 'listEvents', operation: undefined }, () => provider.listEvents(page)),
    ping: () => around({ method: 'ping', operation: undefined }, () => provider.ping()),
  };
}
