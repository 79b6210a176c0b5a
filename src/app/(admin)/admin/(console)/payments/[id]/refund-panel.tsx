'use client';

import { useId, useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { readAmount } from '#console/operations-list/operation-filter.ts';
import { formatMoney, type Money } from '#payments/money.ts';
import { Panel } from '#ui/admin/panel.tsx';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { Notice } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { amountAdvice, refundNotice } from './refund-copy.ts';

interface Props {
  paymentId: string;
  paid: Money;
  refundable: Money;
  refundsBefore: number;
  limit: Money | null;
  /** Counts towards the limit. */
  refundedAlone: Money;
  mayAct: boolean;
  proposed: boolean;
}

/** Pays back in full or in part. A second click, tab or operator with the same page means the same refund. */
export function RefundPanel(props: Props) {
  const { refundable } = props;
  const refund = useCommand(useTRPC().refunds.create.mutationOptions());
  const notice = refund.result && refundNotice(refund.result);
  if (refundable.amountMinor === 0 && !notice) return null;
  return (
    <Panel title="Refund">
      <div className="grid gap-4">
        <div role="status" className="empty:hidden">
          {notice && (
            <Notice tone={notice.tone} title={notice.title}>
              {notice.body}
            </Notice>
          )}
        </div>
        {refundable.amountMinor > 0 && (
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-ink-soft">
              <span className="money font-medium text-ink">{formatMoney(refundable)}</span> of{' '}
              <span className="money">{formatMoney(props.paid)}</span> can be refunded.
            </p>
            {!props.mayAct ? (
              <p className="text-ink-soft">Refunding needs the operator role or above.</p>
            ) : props.proposed ? (
              <p className="text-ink-soft">A refund waits for approval.</p>
            ) : (
              <RefundDialog
                {...props}
                onRefund={(request) => refund.send({ paymentId: props.paymentId, ...request })}
              />
            )}
          </div>
        )}
      </div>
    </Panel>
  );
}

interface Refund {
  amountMinor: number;
  refundsBefore: number;
  reason: string;
  propose: boolean;
}

/**
 * Shows the payment as it was when the dialog was opened. The page behind it goes on, and a refund that another operator makes
 * meanwhile outdates this one: with the new number of refunds it would be a second refund of what both were asked for.
 */
function RefundDialog(props: Props & { onRefund: (refund: Refund) => Promise<unknown> }) {
  const [seen, setSeen] = useState<Props>(props);
  const { refundable, refundsBefore, limit, refundedAlone } = seen;
  const { currency } = refundable;
  const group = useId();
  const [inPart, setInPart] = useState(false);
  const [typed, setTyped] = useState('');
  const amountMinor = inPart ? readAmount(typed.trim(), currency) : refundable.amountMinor;
  const isValid = amountMinor !== undefined && amountMinor > 0 && amountMinor <= refundable.amountMinor;
  const takesTwo = isValid && limit !== null && refundedAlone.amountMinor + amountMinor > limit.amountMinor;
  const together =
    refundedAlone.amountMinor > 0 ? `Together with ${formatMoney(refundedAlone)} refunded before it` : 'It';
  const amount = isValid ? formatMoney({ amountMinor, currency }) : '';

  async function confirm(reason: string): Promise<string | undefined> {
    if (!isValid) return amountAdvice(refundable);
    await props.onRefund({ amountMinor, refundsBefore, reason, propose: takesTwo });
    setTyped('');
    setInPart(false);
    return undefined;
  }

  return (
    <ReasonDialog
      action="Refund…"
      tone="secondary"
      title={`Refund${amount && ` ${amount}`}`}
      consequence={
        isValid ? (
          <p>
            The customer gets <strong className="money text-ink">{amount}</strong> back on the card.{' '}
            {refundable.amountMinor === amountMinor ? (
              'Nothing of the payment remains.'
            ) : (
              <>
                <span className="money">
                  {formatMoney({ amountMinor: refundable.amountMinor - amountMinor, currency })}
                </span>{' '}
                of the payment remain refundable.
              </>
            )}{' '}
            {takesTwo && limit
              ? `${together} is above ${formatMoney(limit)}, so another person has to approve it first.`
              : 'It is made at once, and the customer gets an e-mail, if they gave an address.'}
          </p>
        ) : (
          <p>How much should be refunded?</p>
        )
      }
      confirm={takesTwo ? 'Propose the refund' : amount ? `Refund ${amount}` : 'Refund'}
      reasonLabel="Why? (kept with the refund)"
      late="The refund may be under way. It will not be made twice."
      onOpen={() => setSeen(props)}
      onConfirm={confirm}
    >
      <fieldset className="grid gap-1">
        <legend className="sr-only">How much</legend>
        <label className="inline-flex min-h-11 items-center gap-2.5 text-sm">
          <input
            type="radio"
            name={group}
            checked={!inPart}
            onChange={() => setInPart(false)}
            className="size-4 accent-accent"
          />
          Everything that is left, {formatMoney(refundable)}
        </label>
        <label className="inline-flex min-h-11 items-center gap-2.5 text-sm">
          <input
            type="radio"
            name={group}
            checked={inPart}
            onChange={() => setInPart(true)}
            className="size-4 accent-accent"
          />
          A part of it
        </label>
      </fieldset>
      {inPart && (
        <TextField
          id={`${group}-amount`}
          label={`Amount in ${currency.toUpperCase()}`}
          inputMode="decimal"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </ReasonDialog>
  );
}
