import type { api } from '#app/trpc/client.ts';
import { operationOfAssertion } from '#payments/operations/copy.ts';
import { proposalCopy, providerStateCopy } from '#ui/admin/assertion-copy.ts';
import { type Finding, findingOf } from '../operations/reconciled.ts';

type Decided = Awaited<ReturnType<typeof api.proposals.approve.mutate>>;

export function decidedCopy(decided: Decided, assertion: string): Finding {
  switch (decided.kind) {
    case 'approved':
      return {
        tone: 'ok',
        title: 'Approved, and done.',
        body: 'It is settled like any other, marked as a verdict of two people.',
      };
    case 'rejected':
      return { tone: 'plain', title: 'Rejected.', body: 'The operation stays unknown.' };
    case 'withdrawn':
      return { tone: 'plain', title: 'Withdrawn.', body: 'The operation stays unknown.' };
    case 'void': {
      const operation = operationOfAssertion(assertion) ?? '';
      const now = `The provider now says: ${providerStateCopy(decided.now.says, operation)}.`;
      const then = decided.reconciled ? findingOf(decided.reconciled, operation) : undefined;
      return {
        tone: 'warn',
        title: 'The evidence has changed: the proposal is void.',
        body: then ? `${now} That proves the outcome. ${then.title}` : `${now} Nothing was done.`,
      };
    }
    case 'not_open':
      return {
        tone: 'plain',
        title: 'It was decided meanwhile: nothing was done.',
        body: `The proposal is ${statusLabel(decided.status)}.`,
      };
  }
}

function statusLabel(status: string): string {
  return (proposalCopy[status as keyof typeof proposalCopy] ?? status).toLowerCase();
}
