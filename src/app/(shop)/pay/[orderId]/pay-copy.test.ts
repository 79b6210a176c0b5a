import { describe, expect, it } from 'vitest';
import type { PayResult } from '#app/trpc/pay.ts';
import type { BusyState, RefusalProblem, SubmissionState } from '#idempotency/react.ts';
import type { PayContext } from './copy-parts.ts';
import { payCopy } from './pay-copy.ts';

type State = SubmissionState<PayResult>;

const context: PayContext = {
  amount: '€14.50',
  orderNumber: 'ACME-2345ABCD',
  key: 'fedcba98-7654-4321-8000-000000000000',
  online: true,
  slow: false,
  serverDown: false,
  notifiedAt: undefined,
  openingBank: false,
  cancelFailed: false,
  pendingElsewhere: false,
  pendingOutdated: false,
};
const offline: PayContext = { ...context, online: false };

const result = {
  paymentId: 'p',
  operationId: 'o',
  amountMinor: 1450,
  currency: 'eur',
  reference: 'ACME-1',
} as const;

function refused(code: string, extensions: RefusalProblem['extensions'] = {}): State {
  return { kind: 'refused', problem: { code, message: 'Because.', keyUsable: true, extensions } };
}

const busy: BusyState[] = [
  { kind: 'restoring', tries: 1 },
  { kind: 'restoring', tries: 2, resumesAt: 0 },
  { kind: 'sending', tries: 1 },
  { kind: 'sending', tries: 3, after: 'no_response' },
  { kind: 'waiting', tries: 1, why: 'no_response', resumesAt: 0 },
  { kind: 'waiting', tries: 1, why: 'in_progress', resumesAt: 0 },
  { kind: 'checking', operationId: '0123456789abcdef' },
  { kind: 'checking', operationId: '0123456789abcdef', actionUrl: 'https://bank.example' },
];

const uncertain: State[] = [
  ...busy,
  { kind: 'following' },
  ...busy.map((otherTab): State => ({ kind: 'following', otherTab })),
  { kind: 'gave_up', tries: 8 },
];

const certain: State[] = [
  { kind: 'ready' },
  { kind: 'waiting', tries: 1, why: 'unavailable', resumesAt: 0 },
  { kind: 'done', result: { ...result, status: 'succeeded' } },
  { kind: 'done', result: { ...result, status: 'declined', declineCode: 'insufficient_funds' } },
  { kind: 'done', result: { ...result, status: 'declined' } },
  refused('payment_exists_for_reference', { paymentStatus: 'pending' }),
  refused('payment_exists_for_reference', { paymentStatus: 'succeeded' }),
  refused('payment_exists_for_reference', { paymentStatus: 'under_review' }),
  refused('payment_exists_for_reference', { paymentStatus: 'kept' }),
  { kind: 'done', result: { ...result, status: 'declined', declineCode: 'authentication_failed' } },
  refused('provider_rejected'),
  refused('payment_method_unknown'),
  refused('amount_not_chargeable'),
  refused('order_cancelled'),
  refused('too_many_payments'),
  refused('payment_canceled'),
  refused('idempotency_key_reused'),
  refused('idempotency_key_expired'),
  refused('BAD_REQUEST'),
  refused('NOT_FOUND'),
  refused('something_new'),
];

const sentence = (state: State, at: PayContext = context) => {
  const copy = payCopy(state, at);
  return `${copy.title} ${copy.body}`;
};

describe('the texts of the pay page', () => {
  it.each(uncertain)('$kind is never called a failure, nor "try again"', (state) => {
    for (const at of [context, offline]) {
      expect(sentence(state, at)).not.toMatch(
        /please(?! don’t pay again)|try again|declined|not charged|nothing was charged|went wrong|failed to/i,
      );
    }
  });

  it.each([...uncertain, ...certain])('$kind has a title, a sentence and a button with a name', (state) => {
    const copy = payCopy(state, context);
    expect([copy.title, copy.body, copy.button.label].every((text) => text.length > 3)).toBe(true);
    // A button without an effect is allowed only while a request is in flight, and then it shows that it is busy.
    expect(copy.button.action === 'none').toBe(copy.button.busy);
  });

  it('has the amount on the button until a command is sent, also before the storage was read', () => {
    for (const state of [{ kind: 'restoring', tries: 0 }, { kind: 'ready' }] as const) {
      const copy = payCopy(state, { ...context, key: undefined });
      expect(copy.button).toEqual({ label: 'Pay €14.50', action: 'pay', busy: false });
      expect(copy.title).toBe('You will be charged once.');
    }
  });

  it.each(['idempotency_key_reused', 'idempotency_key_expired', 'order_cancelled', 'something_new'])(
    'say of %s only that nothing was charged now: an earlier payment of the order may have been',
    (code) => {
      expect(sentence(refused(code))).toMatch(/nothing was charged just now\./i);
      expect(sentence(refused(code))).not.toMatch(/nothing was charged\./i);
    },
  );

  it('have a reference that the shop can search for while the outcome is unknown', () => {
    const checking = payCopy({ kind: 'checking', operationId: '0123456789abcdef' }, context);
    expect(checking.reference).toBe('ACME-2345ABCD · fedcba98');
    expect(checking.body).toMatch(/please don’t pay again\..*will update this page/i);
    const gaveUp = payCopy({ kind: 'gave_up', tries: 8 }, context);
    expect(gaveUp.reference).toBe('ACME-2345ABCD · fedcba98');
    expect(gaveUp.body).toMatch(/nothing is known to have failed.*not be charged twice/i);
  });

  it('stay the same from try to try, so that a screen reader announces them once; the numbers are separate', () => {
    const steps: State[] = [
      { kind: 'waiting', tries: 1, why: 'no_response', resumesAt: 7 },
      { kind: 'sending', tries: 2, after: 'no_response' },
      { kind: 'waiting', tries: 2, why: 'no_response', resumesAt: 9 },
    ];
    expect(new Set(steps.map((state) => sentence(state))).size).toBe(1);
    expect(steps.map((state) => payCopy(state, context).pace)).toEqual([
      { tries: 1, of: 8, resumesAt: 7 },
      { tries: 2, of: 8, resumesAt: undefined },
      { tries: 2, of: 8, resumesAt: 9 },
    ]);
  });

  it('say that the browser is offline and that the page continues by itself, and keep the button’s action', () => {
    for (const state of [
      { kind: 'waiting', tries: 1, why: 'no_response', resumesAt: 0 },
      { kind: 'restoring', tries: 1, resumesAt: 0 },
      { kind: 'checking', operationId: 'o' },
    ] as const) {
      expect(sentence(state, offline)).toMatch(/You are offline\..*goes on by itself/);
      expect(payCopy(state, offline).button).toEqual(payCopy(state, context).button);
    }
    const paid: State = { kind: 'done', result: { ...result, status: 'succeeded' } };
    expect(sentence(paid, offline)).toMatch(/charged once\. You are offline: your receipt opens/);
    expect(payCopy({ kind: 'ready' }, offline)).toEqual(payCopy({ kind: 'ready' }, context));
  });

  it('say paid, with a reference, when the server is down and the receipt has to wait', () => {
    const paid: State = { kind: 'done', result: { ...result, status: 'succeeded' } };
    const copy = payCopy(paid, { ...context, serverDown: true });
    expect(copy).toMatchObject({ tone: 'ok', title: 'Paid.', reference: 'ACME-2345ABCD · fedcba98' });
    expect(copy.body).toMatch(/charged once\..*does not answer.*receipt opens by itself/);
    expect(copy.button).toEqual(payCopy(paid, context).button);
    expect(payCopy(paid, context).reference).toBeUndefined();
  });

  it('say that the server does not respond when the button would open the receipt', () => {
    for (const state of certain) {
      const copy = payCopy(state, context);
      const down = payCopy(state, { ...context, serverDown: true });
      if (copy.button.action === 'openReceipt') expect(down.body).toMatch(/does not answer at this moment/);
      else expect(down).toEqual(copy);
    }
  });

  it('say that another tab is paying, and in which state it is', () => {
    expect(sentence({ kind: 'following' })).toMatch(/being paid in another tab.*follows it/i);
    expect(sentence({ kind: 'following', otherTab: { kind: 'sending', tries: 1 } })).toMatch(/another tab/);
    const waiting = { kind: 'waiting', tries: 2, why: 'no_response', resumesAt: 5 } as const;
    expect(payCopy({ kind: 'following', otherTab: waiting }, context)).toMatchObject({
      title: 'In another tab: no answer yet. It is sent again by itself.',
      pace: { tries: 2, resumesAt: 5 },
      button: { action: 'retryNow' },
    });
    const checking = { kind: 'checking', operationId: '0123456789abcdef' } as const;
    expect(sentence({ kind: 'following', otherTab: checking })).toMatch(
      /other tab is being checked with the bank/,
    );
  });

  it('send the shopper to the bank that asks for authentication', () => {
    const otherTab = { kind: 'checking', operationId: 'o', actionUrl: 'https://bank.example' } as const;
    for (const state of [otherTab, { kind: 'following', otherTab }] as const) {
      const copy = payCopy(state, context);
      expect(copy.title).toBe('Your bank wants to make sure it is you.');
      expect(copy.button).toEqual({ label: 'Go to your bank', action: 'openBank', busy: false });
      expect(payCopy(state, { ...context, cancelFailed: true }).body).toContain('not clear yet');
      expect(payCopy(state, offline).body).toContain('You are offline.');
    }
  });

  it.each(['authentication_required', 'authentication_failed', 'payment_intent_authentication_failure'])(
    'say what %s means, and name the next step',
    (declineCode) => {
      expect(sentence({ kind: 'done', result: { ...result, status: 'declined', declineCode } })).toMatch(
        /could not confirm that it was you.*nothing was charged.*another card/i,
      );
    },
  );

  it('have the server’s advice for a problem without a text of its own', () => {
    const state = refused('something_new');
    if (state.kind !== 'refused') throw new Error('The state is not refused.');
    const advised: State = { ...state, problem: { ...state.problem, action: 'Wait until Monday.' } };
    expect(sentence(advised)).toContain('Because. Wait until Monday.');
  });

  it('follow a payment that is under way elsewhere, and open the receipt when it has succeeded', () => {
    const pending = refused('payment_exists_for_reference', { paymentStatus: 'pending' });
    expect(payCopy(pending, { ...context, pendingElsewhere: true }).button.action).toBe('refresh');
    expect(payCopy(pending, context).button.action).toBe('pay');
    const paid = refused('payment_exists_for_reference', { paymentStatus: 'succeeded' });
    expect(payCopy(paid, context).button.action).toBe('openReceipt');
  });

  it('neither offer to pay nor say that the order took no money while the shop checks a payment of it', () => {
    const underReview = refused('payment_exists_for_reference', { paymentStatus: 'under_review' });
    for (const pendingElsewhere of [true, false]) {
      const copy = payCopy(underReview, { ...context, pendingElsewhere });
      expect(copy).toMatchObject({
        reference: 'ACME-2345ABCD · fedcba98',
        button: { action: 'openReceipt' },
      });
      expect(`${copy.title} ${copy.body}`).toMatch(/may have been paid.*don’t pay for it elsewhere/);
      expect(copy.body).not.toMatch(/nothing was charged\.|without a charge|you can pay/i);
    }
  });

  it('lead to the order when the shop keeps a charge that was found, and say that nothing more is due', () => {
    const kept = refused('payment_exists_for_reference', { paymentStatus: 'kept' });
    for (const pendingElsewhere of [true, false]) {
      const copy = payCopy(kept, { ...context, pendingElsewhere });
      expect(copy).toMatchObject({
        title: 'Nothing more is due for this order.',
        reference: 'ACME-2345ABCD · fedcba98',
        button: { action: 'openReceipt' },
      });
      expect(copy.body).not.toMatch(/without a charge|you can pay/i);
    }
  });

  it.each(['insufficient_funds', 'card_velocity_exceeded', 'generic_decline', undefined])(
    'a decline for %s says that nothing was charged, and what to do next',
    (declineCode) => {
      const declined: State = {
        kind: 'done',
        result: { ...result, status: 'declined', ...(declineCode && { declineCode }) },
      };
      expect(payCopy(declined, context).body).toMatch(/^Nothing was charged\. .*(card|pay)/);
    },
  );
});

describe('what is true, and no more', () => {
  it('does not say who started a payment before the browser’s memory is read', () => {
    const before = payCopy({ kind: 'restoring', tries: 0 }, { ...context, pendingElsewhere: true });
    expect(before.title).toBe('A payment for this order is under way.');
    expect(before.body).toMatch(/^Checking/);
    const after = payCopy({ kind: 'ready' }, { ...context, pendingElsewhere: true });
    expect(after.body).toContain('in another window or on another device');
  });

  it('says so when an earlier payment is proven not to have happened', () => {
    const copy = payCopy({ kind: 'ready', nothingHappened: true }, context);
    expect(`${copy.title} ${copy.body}`).toBe(
      'The payment did not happen, nothing was charged. You can pay now.',
    );
    expect(copy.button.action).toBe('pay');
  });

  it('does not say that a payment did not happen of which the shop only has not heard so far', () => {
    const copy = payCopy({ kind: 'ready', notArrived: true }, context);
    expect(`${copy.title} ${copy.body}`).not.toContain('did not happen');
    expect(copy.body).toContain('should an earlier one still arrive, you are charged once');
    expect(copy.button.action).toBe('pay');
  });

  it('does not offer to pay because its own payment did not happen, while the order may have another one', () => {
    const copy = payCopy({ kind: 'ready', nothingHappened: true }, { ...context, pendingOutdated: true });
    expect(copy.title).toBe('A payment for this order is under way.');
    expect(copy.body).toMatch(/^Checking/);
  });

  it('says why it waits when paying takes long, and that the device is offline if it is', () => {
    const sending: State = { kind: 'sending', tries: 1 };
    expect(payCopy(sending, { ...context, slow: true }).title).toContain('the bank is taking its time');
    expect(payCopy(sending, { ...offline, slow: true }).title).toBe('You are offline.');
  });
});
