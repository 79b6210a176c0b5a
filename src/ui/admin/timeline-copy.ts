import { codeWords } from './code-copy.ts';

const points = new Map([
  ['claimed', 'Written down; nothing has left for the provider'],
  ['intent_created', 'Prepared at the provider; no money moved'],
  ['confirm_sent', 'About to charge'],
  ['refund_sent', 'About to pay it back'],
]);

/** Why an operation went from one state to the next, or how far it has come within one. */
export function stepWords(
  event: { readonly cause: string; readonly recoveryPoint: string },
  operation: string,
): string {
  if (event.cause !== 'phase') return codeWords(event.cause, operation);
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

export function callWords(call: string): string {
  return calls.get(call) ?? call;
}

/** What came of a call, to go on after a colon. */
export function answerWords(
  { outcome, code }: { readonly outcome: string; readonly code: string | null },
  operation: string,
): string {
  switch (outcome) {
    case 'answered':
      return `“${(code ?? 'answered').replaceAll('_', ' ')}”`;
    case 'not_found':
      return 'none is listed';
    case 'threw':
      return 'something unexpected went wrong';
    default:
      return lowerFirst(codeWords(code ?? outcome, operation));
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

export function actorWords(actor: string, operation: string): string {
  // Shoppers pay; it is the shop that pays back.
  if (actor === 'request')
    return operation === 'refund.create' ? 'the shop’s request' : 'the shopper’s request';
  if (actor.startsWith('webhook:')) return `the provider’s message ${actor.slice('webhook:'.length)}`;
  if (actor.startsWith('operator:')) return actor.slice('operator:'.length);
  return actors.get(actor) ?? actor;
}

export function lowerFirst(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}
