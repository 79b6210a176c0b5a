import { kindOfVerdict, proposalWords, sayingWords } from '#ui/admin/verdict-copy.ts';
import type { api } from '#app/trpc/client.ts';
import { type Finding, findingOf } from '../operations/reconciled.ts';

type Decided = Awaited<ReturnType<typeof api.proposals.approve.mutate>>;

export function decidedWords(decided: Decided, verdict: string): Finding {
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
      const now = `The provider now says: ${sayingWords(decided.now.says)}.`;
      const then = decided.reconciled ? findingOf(decided.reconciled, kindOfVerdict(verdict)) : undefined;
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
        body: `The proposal is ${wordOf(decided.status)}.`,
      };
  }
}

function wordOf(status: string): string {
  return (proposalWords[status as keyof typeof proposalWords] ?? status).toLowerCase();
}
