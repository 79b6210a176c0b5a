import type { RefusalProblem } from '#idempotency/react.ts';
import { type PayContext, type PayCopy, payButton, referenceOf } from './copy-parts.ts';

/** The command had no effect, or can have none under this key. */
export function refusalCopy(problem: RefusalProblem, context: PayContext): PayCopy {
  const { pendingElsewhere, serverDown } = context;
  const later = serverDown
    ? ' The shop does not answer at this moment: the order opens by itself as soon as it does.'
    : '';
  const pay = payButton(context);
  switch (problem.code) {
    case 'payment_exists_for_reference':
      if (problem.extensions.paymentStatus === 'succeeded') {
        return {
          tone: 'ok',
          title: 'This order is already paid.',
          body: `It was paid in another window or on another device. Nothing was charged now.${later}`,
          button: { label: 'Open the receipt', action: 'openReceipt', busy: false },
        };
      }
      if (problem.extensions.paymentStatus === 'under_review') {
        return {
          tone: 'unknown',
          title: 'This order may have been paid already.',
          body: `The shop is checking a payment of it, and keeps it as paid or pays it back. Nothing was charged now: please don’t pay for it elsewhere before that is clear.${later}`,
          reference: referenceOf(context),
          button: { label: 'See the order', action: 'openReceipt', busy: false },
        };
      }
      if (problem.extensions.paymentStatus === 'kept') {
        return {
          tone: 'ok',
          title: 'Nothing more is due for this order.',
          body: `A payment of it was found to be charged, and the shop keeps it. Nothing was charged now: please don’t pay again.${later}`,
          reference: referenceOf(context),
          button: { label: 'See the order', action: 'openReceipt', busy: false },
        };
      }
      if (!pendingElsewhere) {
        return {
          tone: 'plain',
          title: 'The other payment ended without a charge.',
          body: 'You can pay here now.',
          button: pay,
        };
      }
      return {
        tone: 'unknown',
        title: 'Another payment for this order is under way.',
        body: 'It was started in another window or on another device and is being checked. This page follows it.',
        button: { label: 'Check now', action: 'refresh', busy: false },
      };
    case 'idempotency_key_reused':
      return {
        tone: 'warn',
        title: 'Nothing was charged just now.',
        body: 'This form still carried the name of an earlier payment. It has a new one now: Pay starts a new payment; an order that is paid, or is being paid, is not charged again.',
        button: pay,
      };
    case 'idempotency_key_expired':
      return {
        tone: 'warn',
        title: 'Nothing was charged just now.',
        body: 'This form still carried an earlier payment, which ended a long time ago and is not repeated. Pay starts a new one; an order that is paid is never charged again.',
        button: pay,
      };
    case 'order_cancelled':
      return {
        tone: 'danger',
        title: 'This order was cancelled.',
        body: `Nothing was charged just now. Place a new order in the shop if you still want it.${later}`,
        button: { label: 'See the order', action: 'openReceipt', busy: false },
      };
    case 'too_many_payments':
      return {
        tone: 'danger',
        title: 'Too many payments were tried.',
        body: 'Nothing was charged now. Ask your bank why it declines the card; an hour from now you can pay here again.',
        button: pay,
      };
    case 'payment_canceled':
      return {
        tone: 'warn',
        title: 'The payment did not happen.',
        body: 'It got lost on the way to the bank and was stopped there: nothing was charged. You can pay now.',
        button: pay,
      };
    case 'payment_method_unknown':
      return {
        tone: 'danger',
        title: 'This card is not known.',
        body: 'Nothing was charged. Enter the card again or choose another one, then pay.',
        button: pay,
      };
    case 'amount_not_chargeable':
      return {
        tone: 'danger',
        title: 'This amount cannot be paid by card.',
        body: 'Nothing was charged. Banks take no card payment this small, or this large; please contact the shop.',
        button: pay,
      };
    case 'provider_rejected':
      return {
        tone: 'danger',
        title: 'This card cannot be used here.',
        body: 'Nothing was charged. Choose another card, then pay. The shop has been notified.',
        button: pay,
      };
    case 'BAD_REQUEST':
      return {
        tone: 'danger',
        title: 'The form was not accepted.',
        body: 'Nothing was charged. Check the e-mail address and the card, then pay.',
        button: pay,
      };
    case 'NOT_FOUND':
      return {
        tone: 'danger',
        title: 'This order no longer exists.',
        body: 'Nothing was charged. The shop’s shelves are where you left them.',
        button: { label: 'Check again', action: 'refresh', busy: false },
      };
    default:
      return {
        tone: 'danger',
        title: 'The payment was not accepted.',
        body: ['Nothing was charged just now.', problem.message, problem.action].filter(Boolean).join(' '),
        button: pay,
      };
  }
}
