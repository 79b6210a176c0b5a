'use client';

import { type FormEvent, useState } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { readAmount, writeAmount } from '#console/operations-list/operation-filter.ts';
import type { Currency, Money } from '#payments/money.ts';
import { Card } from '#ui/admin/card.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';

/** The amount above which a refund takes a second person, for each currency of the shop. */
export function RefundLimits(props: {
  currencies: readonly Currency[];
  limits: readonly Money[];
  readOnly: boolean;
  /** Whether the owner has one. */
  secondFactor: boolean;
}) {
  const { readOnly } = props;
  // Those in the fields, which stay as they are when the page is rendered again.
  const [limits, setShown] = useState(props.limits);
  const setLimits = useTRPC().refunds.setLimits.mutationOptions({
    onSuccess: (_, changes) => {
      setShown((shown) => [
        ...shown.filter(({ currency }) => !changes.some((change) => change.currency === currency)),
        ...changes.flatMap(({ currency, amountMinor }) =>
          amountMinor === null ? [] : [{ currency, amountMinor }],
        ),
      ]);
      setSaved(true);
    },
  });
  const { busy, failure, run, confirmation } = useConfirmedCommand(props, setLimits);
  const [invalid, setInvalid] = useState<readonly Currency[]>([]);
  const [saved, setSaved] = useState(false);
  const currencies = [...new Set([...props.currencies, ...limits.map(({ currency }) => currency)])];

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const read = currencies.map((currency) => {
      const typed = String(data.get(currency) ?? '').trim();
      return { currency, typed, amountMinor: typed === '' ? null : readAmount(typed, currency) };
    });
    setSaved(false);
    const wrong = read.filter(({ amountMinor }) => amountMinor === undefined);
    setInvalid(wrong.map(({ currency }) => currency));
    if (wrong.length > 0) return;
    const changes = read.map(({ currency, amountMinor = null }) => ({
      ...{ currency, amountMinor },
      seen: limits.find((one) => one.currency === currency)?.amountMinor ?? null,
    }));
    // What was not changed is not sent: another owner may have changed it meanwhile.
    run(changes.filter(({ amountMinor, seen }) => amountMinor !== seen));
  }

  return (
    <Card
      id="refund-limits"
      title="Refunds"
      intro="Above this amount a refund from the console needs a second person with the approver role; all refunds of a payment that were made without one count together. Leave a field empty for no limit, and enter 0 for every refund."
    >
      <form method="post" noValidate aria-label="Limit for refunds" onSubmit={save} className="grid gap-5">
        <div className="grid gap-5 empty:hidden sm:grid-cols-3">
          {currencies.map((currency) => {
            const limit = limits.find((one) => one.currency === currency);
            return (
              <TextField
                key={currency}
                id={`refund-limit-${currency}`}
                name={currency}
                label={`Limit in ${currency.toUpperCase()}`}
                inputMode="decimal"
                autoComplete="off"
                readOnly={readOnly}
                placeholder="No limit"
                defaultValue={writeAmount(limit?.amountMinor, currency) ?? ''}
                error={invalid.includes(currency) ? 'Enter an amount such as 250.00, or nothing.' : undefined}
              />
            );
          })}
        </div>
        {currencies.length === 0 && (
          <p className="text-ink-soft text-sm">
            Each currency has a limit of its own. The shop was not paid in any so far.
          </p>
        )}
        {!readOnly && currencies.length > 0 && (
          <div className="flex flex-wrap items-center gap-4">
            <Button type="submit" tone="secondary" busy={busy}>
              Save
            </Button>
            {failure && <InlineError>{failure}</InlineError>}
            <p role="status" className="text-ok text-sm empty:hidden">
              {saved && 'Saved.'}
            </p>
          </div>
        )}
        {confirmation}
      </form>
    </Card>
  );
}
