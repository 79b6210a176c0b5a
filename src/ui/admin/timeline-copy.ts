import { findCopy, operationCopy } from '#payments/operations/copy.ts';
import { codeCopy } from './code-copy.ts';
import { ownText } from './operation-copy.ts';

/** The cause of a transition, or the recovery point that was reached within a status. */
export function stepCopy(
  event: { readonly cause: string; readonly recoveryPoint: string },
  operation: string,
): string {
  if (event.cause !== 'phase') return codeCopy(event.cause, operation);
  const point = ownText(operation, 'recoveryPoints', event.recoveryPoint);
  return point ?? `Reached ${event.recoveryPoint.replaceAll('_', ' ')}`;
}

/** A call to the provider. Its text is in the copy of the operation that it was added for; another may make it too. */
export function callCopy(call: string): string {
  const copies = Object.values(operationCopy).map(
    ({ providerCalls }): Record<string, string> => providerCalls,
  );
  return copies.find((texts) => Object.hasOwn(texts, call))?.[call] ?? call;
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
  ['owner', 'the request that handled it'],
  ['reader', 'a request for its status'],
  ['reaper', 'the retention rules'],
  ['poller', 'an automatic check'],
  ['reconciliation', 'a check that found no request in progress'],
  ['sweeper', 'the sweeper'],
  ['return', 'the shopper’s return from the bank'],
  ['shopper', 'the shopper, who cancelled it to use another card'],
]);

export function actorCopy(actor: string, operation: string): string {
  if (actor === 'request') return findCopy(operation)?.requestedBy ?? 'the request';
  if (actor.startsWith('webhook:')) return `the provider’s message ${actor.slice('webhook:'.length)}`;
  if (actor.startsWith('operator:')) return actor.slice('operator:'.length);
  return actors.get(actor) ?? actor;
}

export function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
