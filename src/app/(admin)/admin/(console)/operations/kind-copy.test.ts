import { describe, expect, test } from 'vitest';
import { operationCopy, operationOfAssertion } from '#payments/operations/copy.ts';
import { consequenceCopy } from '#ui/admin/assertion-copy.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { eventOutcomeCopy } from '#ui/admin/event-copy.ts';
import { kindCopy, outcomeCopy } from '#ui/admin/operation-copy.ts';
import { actorCopy, callCopy, responseCopy, stepCopy } from '#ui/admin/timeline-copy.ts';
import { noticeOf, type Reconciled } from './result-notice.ts';

const [payment, refund] = ['payment.create', 'refund.create'] as const;
const money = { amountMinor: 100, currency: 'eur' } as const;
const completed: Reconciled = { kind: 'completed', cause: 'provider_succeeded' };
const released: Reconciled = { kind: 'released', cause: 'provider_rejected' };
const all = (found: Reconciled, kind: string) => Object.values(noticeOf(found, kind)).join(' ');

/** The causes in the timeline of a refund. */
const causes = [
  ...['claimed', 'retried', 'lease_extended', 'lease_expired', 'replay_window_over', 'unexpected_error'],
  ...[
    'provider_succeeded',
    'provider_pending',
    'provider_unavailable',
    'comparing_with_provider',
    'provider_rejected',
    'provider_timeout',
  ],
  ...[
    'provider_no_response',
    'provider_response_invalid',
    'provider_unreachable',
    'provider_rate_limited',
    'provider_http_500',
  ],
  ...['refund_missing', 'refund_not_found', 'refund_exceeds_payment', 'payment_not_refundable'],
  'operator_override',
];

/** How a code without a text of its own reads. */
const inWords = (code: string) => new RegExp(`^${code.replaceAll('_', ' ')}$`, 'i');

describe('the timeline of a refund speaks of paying back', () => {
  test.each(causes)('%s', (cause) => {
    const text = stepCopy({ cause, recoveryPoint: 'refund_sent' }, refund);
    expect(text).not.toMatch(/charg|shopper (may|can) pay/i);
    // Of one word, "Claimed", the text is the word itself.
    if (cause.includes('_')) expect(text, 'has a text of its own').not.toMatch(inWords(cause));
    expect(responseCopy({ outcome: 'ambiguous', code: cause }, refund)).not.toMatch(/charg/i);
  });

  test.each(['claimed', 'refund_sent'])('at the recovery point %s', (recoveryPoint) => {
    expect(stepCopy({ cause: 'phase', recoveryPoint }, refund)).not.toMatch(/charg|Reached/i);
  });

  test.each(['refund', 'find_refund'])('the call %s', (call) => {
    expect(callCopy(call)).toMatch(/pay it back|refund/);
  });

  test('the shop requested it', () => {
    expect(actorCopy('request', refund)).toBe('the shop’s request');
  });
});

describe('the timeline of a payment speaks of charging', () => {
  test.each([
    [stepCopy({ cause: 'provider_succeeded', recoveryPoint: 'confirm_sent' }, payment), /has charged/],
    [stepCopy({ cause: 'phase', recoveryPoint: 'confirm_sent' }, payment), /About to charge/],
    [callCopy('confirm'), /to charge/],
    [actorCopy('request', payment), /shopper/],
  ])('%s', (text, expected) => expect(text).toMatch(expected));
});

test.each([
  [payment, /charge/i, /paid back|refund/i],
  [refund, /paid|refund/i, /charge|(may|can) pay/i],
])('the result of a %s is described in its own terms', (kind, own, foreign) => {
  const texts = [
    all(completed, kind),
    all(released, kind),
    eventOutcomeCopy('completed: provider_succeeded', kind),
    outcomeCopy('released', kind),
  ];
  for (const text of texts) {
    expect(text).toMatch(own);
    expect(text).not.toMatch(foreign);
  }
});

test('where the kind is not known, the text fits every kind', () => {
  for (const cause of causes) expect(codeCopy(cause)).not.toMatch(/charg|paid (it )?back/i);
});

test.each([
  ...(['charged', 'not_charged'] as const).map((assertion) => [assertion, payment, /pay/] as const),
  ...(['refunded', 'not_refunded'] as const).map((assertion) => [assertion, refund, /paid back/] as const),
])(
  '%s is an assertion about a %s, and its consequence is described in those terms',
  (assertion, kind, own) => {
    const about = { admissibility: { kind: 'proven' }, providerState: 'no_response', amount: money } as const;
    expect(operationCopy[operationOfAssertion(assertion) ?? 'payment.create'].assertions).toBe(
      operationCopy[kind].assertions,
    );
    expect(consequenceCopy(assertion, about)).toMatch(own);
  },
);

test('a record or a cause that this version does not know is shown by its own name, never as a payment', () => {
  const unknown = 'payout.create';
  expect(kindCopy(unknown)).toBe(unknown);
  expect(outcomeCopy('succeeded', unknown)).toBe('succeeded');
  expect(actorCopy('request', unknown)).toBe('the request');
  expect(all(completed, unknown)).not.toMatch(/charg|paid|refund/i);
  expect(all({ kind: 'completed', cause: 'provider_strange' }, payment)).not.toMatch(/declin|charg/i);
});

test('a code of the bank without a text of ours begins with a capital letter', () => {
  expect(codeCopy('generic_decline')).toBe('Generic decline');
});
