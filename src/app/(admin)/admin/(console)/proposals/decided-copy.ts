import { operationOfAssertion } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { proposalCopy, providerStateCopy } from '#ui/admin/assertion-copy.ts';
import { noticeOf, type ResultNotice } from '../operations/result-notice.ts';

type Decided = RouterOutputs['proposals']['approve'];

export function decidedCopy(decided: Decided, assertion: string): ResultNotice {
  switch (decided.kind) {
    case 'approved':
      return {
        tone: 'ok',
        title: 'Approved and recorded.',
        body: 'The operation is resolved, and marked as a decision of two people.',
      };
    case 'rejected':
      return { tone: 'plain', title: 'Rejected.', body: 'The operation stays unknown.' };
    case 'withdrawn':
      return { tone: 'plain', title: 'Withdrawn.', body: 'The operation stays unknown.' };
    case 'void': {
      const operation = operationOfAssertion(assertion) ?? '';
      const now = `The provider now says: ${providerStateCopy(decided.now.state, operation)}.`;
      const then = decided.reconciled ? noticeOf(decided.reconciled, operation) : undefined;
      return {
        tone: 'warn',
        title: 'The evidence has changed: the proposal is void.',
        body: then ? `${now} That proves the outcome. ${then.title}` : `${now} Nothing was done.`,
      };
    }
    case 'not_open':
      return {
        tone: 'plain',
        title: 'Already decided: nothing was done.',
        body: `The proposal is ${statusLabel(decided.status)}.`,
      };
  }
}

function statusLabel(status: string): string {
  return (proposalCopy[status as keyof typeof proposalCopy] ?? status).toLowerCase();
}
