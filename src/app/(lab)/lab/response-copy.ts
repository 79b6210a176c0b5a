import { formatMoney, isCurrency } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import type { Tone } from '#ui/notice.tsx';

export type Result = RouterOutputs['lab']['doubleClick'];
type Lane = Result[number];

const copies = new Map([
  ['completed', 'Paid'],
  ['replayed', 'Paid: the first answer, replayed'],
  ['idempotency_key_in_progress', 'Your first click is being paid; its answer is yours'],
  ['pending', 'Being checked with the bank'],
  ['succeeded', 'Paid'],
  ['declined', 'Declined'],
  ['ambiguous', 'No answer'],
  ['not_executed', 'The provider could not be reached'],
  ['rejected', 'The provider refused'],
]);

export function responseCopy(code: string): string {
  return copies.get(code) ?? code.replaceAll('_', ' ');
}

export function verdictOf(
  protectedLane: Lane,
  unprotectedLane: Lane,
): { tone: Tone; title: string; body: string } {
  const clicks = protectedLane.responses.length;
  const title = `${clicks} clicks: ${charges(protectedLane)} with Paidonce, ${charges(unprotectedLane)} without.`;
  if (protectedLane.charges.length !== 1) {
    return {
      tone: 'danger',
      title,
      body: 'Paidonce broke its promise. This should be impossible: report it.',
    };
  }
  const surplus = unprotectedLane.charges.slice(1).reduce((sum, charge) => sum + charge.amount, 0);
  const currency = unprotectedLane.charges[0]?.currency ?? 'eur';
  if (surplus === 0 || !isCurrency(currency)) {
    return { tone: 'ok', title, body: 'Even the bare checkout was lucky this time. Run it again.' };
  }
  const money = formatMoney({ amountMinor: surplus, currency });
  return { tone: 'ok', title, body: `The shopper without it would have to ask for ${money} back.` };
}

function charges(lane: Lane): string {
  const count = lane.charges.length;
  return count === 1 ? '1 charge' : `${count} charges`;
}
