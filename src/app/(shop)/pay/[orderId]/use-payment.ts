import { type FormEvent, useRef } from 'react';
import { useCurrentPage } from '#app/(shop)/use-current-page.ts';
import { useOrderWatch } from '#app/(shop)/use-order-watch.tsx';
import { useRefresh } from '#app/(shop)/use-refresh.ts';
import { type PayCommand, type PayResult, useCancelPayment } from '#app/trpc/pay.ts';
import { type SubmissionState, useIdempotentMutation } from '#idempotency/react.ts';
import type { Money } from '#payments/money.ts';
import { useFormatMoney } from '#ui/amount.tsx';
import { useOnline } from '#ui/use-online.ts';
import { useSlow } from '#ui/use-slow.ts';
import type { ButtonAction, PayContext } from './copy-parts.ts';
import { payCopy, readingCardCopy } from './pay-copy.ts';
import { payCommandOf } from './stored-command.ts';
import type { CardHandle } from './stripe/card-handle.ts';
import { useBankRedirect } from './use-bank-redirect.ts';
import { useBankReturn, useTransportAfterBankReturn } from './use-bank-return.ts';
import { useKeptCard } from './use-kept-card.ts';
import { type CardSource, usePayCommand } from './use-pay-command.ts';
import { usePendingElsewhere } from './use-pending-elsewhere.ts';
import { useReceipt } from './use-receipt.ts';
import { useRememberedForm } from './use-remembered-form.ts';

/** After this long a shopper wants to know why nothing changes. */
const slowAfterMs = 4_000;

export interface PaymentOptions {
  readonly order: { readonly id: string; readonly number: string; readonly total: Money };
  /** Whether the card is entered in Stripe's fields, or chosen from our list. */
  readonly hasFields: boolean;
  /** Whether the shop sends e-mails. */
  readonly sendsEmails: boolean;
  /** The order has a pending payment; this form may or may not have started it. */
  readonly pending: boolean;
  readonly renderedAt: number;
}

/** The payment of an order: its submission, what the page says about it, and what the form's button does. */
export function usePayment({ order, hasFields, sendsEmails, pending, renderedAt }: PaymentOptions) {
  const form = useRef<HTMLFormElement>(null);
  const card = useRef<CardHandle>(null);
  const command = usePayCommand(form);
  const scope = `order.${order.id}`;
  const transport = useTransportAfterBankReturn(order.id);
  const payment = useIdempotentMutation<PayCommand, PayResult>({ scope, ...transport });
  const { state, key } = payment;
  const sent = payCommandOf(payment.sent);
  const kept = useKeptCard(state, sent);
  const online = useOnline();
  const paid = state.kind === 'done' && state.result.status === 'succeeded';
  const receipt = useReceipt(order.id, paid, online);
  const actionUrl = actionUrlOf(state);
  // Without a connection the browser's own error page would take the place of this one.
  const bank = useBankRedirect(state.kind === 'checking' && online ? actionUrl : undefined);
  const cancellation = useCancelPayment(order.id, key, payment.retryNow);
  const refresh = useRefresh();
  const context = {
    amount: useFormatMoney()(order.total),
    orderNumber: order.number,
    key,
    online,
    notifiedAt: sendsEmails ? sent?.email : undefined,
    openingBank: bank.opening,
    cancelFailed: cancellation.failed,
    slow: useSlow(state.kind === 'sending', slowAfterMs),
    serverDown: receipt.serverDown,
    ...usePendingElsewhere(state, pending, renderedAt),
  };
  const copy = command.reading ? readingCardCopy : payCopy(state, context);
  const watches = copy.button.action === 'refresh' || (state.kind === 'ready' && mayChange(state, context));
  useRememberedForm(form, scope, isUnderWay(state) ? sent : undefined);
  useBankReturn(order.id, key, state.kind === 'restoring');
  useCurrentPage(renderedAt);
  useOrderWatch(order.id, watches);

  function cardSource(): CardSource {
    if (!hasFields) return { kind: 'list' };
    const { paymentMethod } = kept;
    return paymentMethod ? { kind: 'kept', paymentMethod } : { kind: 'fields', handle: card.current };
  }

  async function pay() {
    // The command may still take effect, so it is sent again unchanged, even if the form was edited.
    if (state.kind === 'gave_up' && sent) return payment.submit(sent);
    const source = cardSource();
    const read = await command.read(source);
    if (!read) return;
    if (source.kind === 'fields') kept.markEntered();
    payment.reset();
    cancellation.forget();
    bank.expect();
    payment.submit(read);
  }

  function cancel() {
    bank.stay();
    cancellation.cancel();
  }

  const actions: Record<ButtonAction, () => void> = {
    pay: () => void pay(),
    retryNow: payment.retryNow,
    openBank: () => actionUrl && window.location.assign(actionUrl),
    refresh: () => void refresh(),
    openReceipt: receipt.open,
    none: () => undefined,
  };
  return {
    form,
    card,
    state,
    key,
    kept,
    copy,
    errors: command.errors,
    /** What is shown is what is being paid with, and cannot be changed. */
    locked: isUnderWay(state) || command.reading,
    /** Set while the payment waits for the shopper at their bank. */
    cancel: actionUrl ? cancel : undefined,
    cancelling: cancellation.cancelling,
    onSubmit(event: FormEvent) {
      event.preventDefault();
      actions[copy.button.action]();
    },
  };
}

/** Another payment of the order, or one that has not arrived yet, may end while the form is ready. */
function mayChange(
  { notArrived }: SubmissionState<PayResult> & { kind: 'ready' },
  context: Pick<PayContext, 'pendingElsewhere' | 'pendingOutdated'>,
): boolean {
  return notArrived === true || context.pendingElsewhere || context.pendingOutdated;
}

/** A command is on its way, or may still take effect. */
function isUnderWay({ kind }: SubmissionState<PayResult>): boolean {
  return underWay.has(kind);
}

const underWay = new Set<SubmissionState<PayResult>['kind']>([
  'sending',
  'waiting',
  'checking',
  'following',
  'gave_up',
]);

/** Where the shopper confirms the payment, from this tab or from the one that sends. */
function actionUrlOf(state: SubmissionState<PayResult>): string | undefined {
  const current = state.kind === 'following' ? state.otherTab : state;
  return current?.kind === 'checking' ? current.actionUrl : undefined;
}
