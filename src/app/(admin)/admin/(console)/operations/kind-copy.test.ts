import { describe, expect, test } from 'vitest';
import { codeWords } from '#ui/admin/code-copy.ts';
import { eventOutcomeWords } from '#ui/admin/event-copy.ts';
import { outcomeWords } from '#ui/admin/operation-copy.ts';
import { actorWords, answerWords, callWords, stepWords } from '#ui/admin/timeline-copy.ts';
import { consequenceWords, kindOfVerdict } from '#ui/admin/verdict-copy.ts';
import { findingOf, type Reconciled } from './reconciled.ts';

const [payment, refund] = ['payment.create', 'refund.create'] as const;
const settled: Reconciled = { kind: 'settled', cause: 'provider_succeeded' };
const released: Reconciled = { kind: 'released', cause: 'provider_rejected' };
const all = (found: Reconciled, kind: string) => Object.values(findingOf(found, kind)).join(' ');

/** What a refund's timeline can hold. */
const causes = [
  ...['claimed', 'retried', 'lease_extended', 'lease_expired', 'replay_window_over', 'unexpected_error'],
  ...[
    'provider_succeeded',
    'provider_pending',
    'provider_unavailable',
    'provider_rejected',
    'provider_timeout',
  ],
  ...['provider_no_answer', 'provider_unreachable', 'provider_rate_limited', 'provider_http_500'],
  ...['refund_missing', 'refund_not_found', 'refund_exceeds_payment', 'payment_not_refundable'],
  'operator_verdict',
];

describe('the timeline of a refund speaks of paying back', () => {
  test.each(causes)('%s', (cause) => {
    const words = stepWords({ cause, recoveryPoint: 'refund_sent' }, refund);
    expect(words).not.toMatch(/charg|shopper may pay/i);
    expect(words, 'has words of its own').not.toBe(cause.replaceAll('_', ' '));
    expect(answerWords({ outcome: 'ambiguous', code: cause }, refund)).not.toMatch(/charg/i);
  });

  test.each(['claimed', 'refund_sent'])('having come as far as %s', (recoveryPoint) => {
    expect(stepWords({ cause: 'phase', recoveryPoint }, refund)).not.toMatch(/charg|Reached/i);
  });

  test.each(['refund', 'find_refund'])('the call %s', (call) => {
    expect(callWords(call)).toMatch(/pay it back|refund/);
  });

  test('it is the shop that asked for it', () => {
    expect(actorWords('request', refund)).toBe('the shop’s request');
  });
});

describe('the timeline of a payment speaks of charging', () => {
  test.each([
    [stepWords({ cause: 'provider_succeeded', recoveryPoint: 'confirm_sent' }, payment), /has charged/],
    [stepWords({ cause: 'phase', recoveryPoint: 'confirm_sent' }, payment), /About to charge/],
    [callWords('confirm'), /to charge/],
    [actorWords('request', payment), /shopper/],
  ])('%s', (words, expected) => expect(words).toMatch(expected));
});

test.each([
  [payment, /charge/i, /paid back|refund/i],
  [refund, /paid|refund/i, /charge|may pay/i],
])('of a %s, what was found out is told as what it is', (kind, own, foreign) => {
  const told = [
    all(settled, kind),
    all(released, kind),
    eventOutcomeWords('settled: provider_succeeded', kind),
    outcomeWords('released', kind),
  ];
  for (const words of told) {
    expect(words).toMatch(own);
    expect(words).not.toMatch(foreign);
  }
});

test('where the kind is not known, nothing is said that is true of one kind only', () => {
  for (const cause of causes) expect(codeWords(cause)).not.toMatch(/charg|paid (it )?back/i);
});

test.each(['charged', 'not_charged', 'refunded', 'not_refunded'] as const)(
  '%s is a verdict on its kind',
  (claim) => {
    const money = { amountMinor: 100, currency: 'eur' } as const;
    const isOfRefund = /paid back/.test(consequenceWords(claim, { kind: 'proven' }, 'silent', money));
    expect(kindOfVerdict(claim)).toBe(isOfRefund ? refund : payment);
  },
);
