import type { AttemptState } from '#idempotency/react.ts';
import type { PayAnswer } from '#app/trpc/pay.ts';
import type { Surroundings, Words } from './attempt-copy.ts';
import { checkingWords, retryWords } from './under-way-copy.ts';

const look = { label: 'Check now', tap: 'hurry', busy: false } as const;
const goesOn = 'This tab follows it, and goes on with it should the other one be closed.';

/** Another tab of this browser is at work. What it has said about itself is said here too, with where it happens. */
export function followingWords(
  { there }: AttemptState<PayAnswer> & { kind: 'following' },
  around: Surroundings,
): Words {
  switch (there?.kind) {
    case undefined:
      return { tone: 'busy', title: 'This order is being paid in another tab.', body: goesOn, button: look };
    case 'restoring':
      return {
        tone: 'busy',
        title: 'Another tab is finding out what became of your earlier payment.',
        body: goesOn,
        button: look,
      };
    case 'sending':
    case 'waiting': {
      const why = there.kind === 'waiting' ? there.why : there.after;
      if (why === undefined || why === 'in_progress') {
        return {
          tone: 'busy',
          title: 'This order is being paid in another tab.',
          body: goesOn,
          button: { label: 'Being paid in another tab…', tap: 'none', busy: true },
        };
      }
      const words = retryWords(there, why, around);
      return { ...words, title: `In another tab: ${lowered(words.title)}` };
    }
    case 'checking': {
      const words = checkingWords(there, around);
      // Any tab may take the shopper to their bank.
      if (there.actionUrl !== undefined) return words;
      return { ...words, title: 'The payment from your other tab is being checked with the bank.' };
    }
  }
}

function lowered(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}
