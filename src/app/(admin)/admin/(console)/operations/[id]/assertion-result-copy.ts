import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { assertionLabel, refusalCopy } from '#ui/admin/assertion-copy.ts';
import { statusStyles } from '#ui/admin/status-badge.tsx';
import { noticeOf, type ResultNotice } from '../result-notice.ts';

type AssertionResult = RouterOutputs['operation']['resolve'];

/** The result of an assertion. What the provider proves may differ from what was asserted. */
export function assertionResultCopy(
  operation: string,
  assertion: string,
  result: AssertionResult,
): ResultNotice {
  switch (result.kind) {
    case 'reconciled':
      return noticeOf(result.found, operation);
    case 'proposed':
      return {
        tone: 'ok',
        title: `Proposed: ${assertionLabel(assertion).toLowerCase()}.`,
        body: 'Nothing has changed yet. Another person with the approver role has to approve it.',
      };
    case 'already_proposed':
      return {
        tone: 'plain',
        title: 'There is already a proposal.',
        body: 'It has to be approved, rejected or withdrawn first.',
      };
    case 'overridden':
      return {
        tone: 'ok',
        title: `Resolved by you: ${assertionLabel(assertion).toLowerCase()}.`,
        body: 'It is marked as a person’s decision, with your reason and the provider’s answer.',
      };
    case 'evidence_changed':
      return {
        tone: 'warn',
        title: 'The evidence has changed: nothing was done.',
        body: 'The provider’s answer has changed since this page was loaded. The page now shows the new one: check it before you decide.',
      };
    case 'refused':
      return { tone: 'warn', title: 'Not possible.', body: refusalCopy(result.why, operation) };
    case 'nothing_to_do':
      return {
        tone: 'plain',
        title: 'No longer unknown: nothing was done.',
        body:
          result.status === 'missing'
            ? 'It no longer exists.'
            : `Its status is now: ${statusStyles[result.status].label.toLowerCase()}.`,
      };
  }
}
