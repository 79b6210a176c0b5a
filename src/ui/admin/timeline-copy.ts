import { codeCopy } from './code-copy.ts';

const points = new Map([
  ['claimed', 'Written down; nothing has left for the provider'],
  ['intent_created', 'Prepared at the provider; no money moved'],
  ['confirm_sent', 'About to charge'],
  ['refund_sent', 'About to pay it back'],
]);

/** The cause of a transition, or the recovery point that was reached within a status. */
export function stepCopy(
  event: { readonly cause: string; readonly recoveryPoint: string },
  operation: string,
): string {
  if (event.cause !== 'phase') return codeCopy(event.cause, operation);
  return points.get(event.recoveryPoint) ?? `Reached ${event.recoveryPoint.replaceAll('_', ' ')}`;
}

const calls = new Map([
  ['create', 'Asked the provider to prepare it:'],
  ['confirm', 'Asked the provider to charge:'],
  ['retrieve', 'Asked the provider what became of it:'],
  ['cancel', 'Asked the provider to cancel it:'],
  ['refund', 'Asked the provider to pay it back:'],
  ['find_refund', 'Asked the provider for the refund:'],
]);

export function callCopy(call: string): string {
  return calls.get(call) ?? call;
}

/** The outcome of a call, as the end of a sentence. */
export function responseCopy(
  { outcome, code }: { readonly outcome: string; readonly code: string | null },
  operation: string,
): string {
  switch (outcome) {
    case 'responded':
      return `“${(code ?? 'answered').replaceAll('_', ' ')}”`;
    case 'not_found':
      return 'none is listed';
    case 'threw':
      return 'something unexpected went wrong';
    default:
      return lowerFirst(codeCopy(code ?? outcome, operation));
  }
}

const actors = new Map([
  ['owner', 'the request that owned it'],
  ['worker', 'the worker'],
  ['poller', 'an automatic check'],
  ['reconciliation', 'a check that found nobody working on it'],
  ['sweeper', 'the sweeper'],
  ['return', 'the shopper’s return from the bank'],
]);

export function actorCopy(actor: string, operation: string): string {
  // A payment is requested by a shopper, a refund by the shop.
  if (actor === 'request')
    return operation === 'refund.create' ? 'the shop’s request' : 'the shopper’s request';
  if (actor.startsWith('webhook:')) return `the provider’s message ${actor.slice('webhook:'.length)}`;
  if (actor.startsWith('operator:')) return actor.slice('operator:'.length);
  return actors.get(actor) ?? actor;
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
