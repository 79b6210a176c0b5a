'use client';

import { SlidersHorizontal } from 'lucide-react';
import type { FormEvent, ReactNode } from 'react';
import {
  allShops,
  type OperationFilter,
  outcomes,
  readFilter,
  sorts,
  writeAmount,
  writeSpan,
} from '#console/operations-list/operation-filter.ts';
import { operationNames } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { ShopField, useOpenPage } from '#ui/admin/linked-shop.tsx';
import { kindCopy } from '#ui/admin/operation-copy.ts';
import { Button } from '#ui/button.tsx';
import { hrefOf, outcomeLabels, sortCopy } from './filter-copy.ts';

type Choices = RouterOutputs['operations']['choices'];

const spans: readonly (readonly [string, string])[] = [
  ['5m', '5 minutes'],
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
];

const recentSpans = spans.map(([span, time]) => [span, `In the last ${time}`] as const);

/** A plain GET form; with JavaScript empty fields are left out of the address. */
export function FilterPanel(props: {
  filter: OperationFilter;
  choices: Choices;
  /** A viewer finds a key by the whole of it only. */
  wholeKeys: boolean;
}) {
  const { filter, choices, wholeKeys } = props;
  const openPage = useOpenPage();
  const { currency } = filter;

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value)]);
    openPage(
      hrefOf({
        ...readFilter(Object.fromEntries(entries), choices.currencies[0]),
        status: filter.status,
        search: filter.search,
      }),
    );
  }

  return (
    <details className="group mb-3">
      <summary className="inline-flex min-h-11 select-none items-center gap-2 rounded-xl px-3 text-ink-soft text-sm hover:bg-sunken hover:text-ink group-open:bg-sunken pointer-fine:min-h-9">
        <SlidersHorizontal className="size-4" aria-hidden="true" />
        <span>
          Filters<span className="max-sm:sr-only"> and order</span>
        </span>
      </summary>
      <form
        action="/admin/operations"
        onSubmit={onSubmit}
        className="mt-2 grid gap-4 rounded-2xl border border-line bg-surface p-5 shadow-card sm:grid-cols-2 lg:grid-cols-4"
      >
        <ShopField />
        {filter.status && <input type="hidden" name="status" value={filter.status} />}
        {filter.search && <input type="hidden" name="q" value={filter.search} />}
        <Choice
          name="sort"
          label="Order"
          value={filter.sort}
          options={sorts.map((sort) => [sort, sortCopy[sort]])}
        />
        <Choice
          name="kind"
          label="Kind"
          value={filter.kind}
          any="Any kind"
          options={operationNames.map((kind) => [kind, kindCopy(kind)])}
        />
        <Choice
          name="outcome"
          label="Payment or refund"
          value={filter.outcome}
          any="Any outcome"
          options={outcomes.map((outcome) => [outcome, outcomeLabels[outcome]])}
        />
        <Choice
          name="error"
          label="Error"
          value={filter.errorCode}
          any="Any or none"
          options={withChosen(choices.errorCodes, filter.errorCode).map((code) => [code, codeCopy(code)])}
        />
        {timesOf(filter).map(({ minutes, ...time }) => (
          <Choice key={time.name} {...time} value={spanOf(minutes)} />
        ))}
        <Choice
          name="misused"
          label="Key misused"
          value={filter.misused === 'ever' ? '1' : spanOf(filter.misused)}
          any="Any"
          options={[['1', 'Ever'], ...recentSpans]}
        />
        <Field label="From" hint="The first day">
          <input type="date" name="from" defaultValue={filter.from} className={box} />
        </Field>
        <Field label="To" hint="The last day">
          <input type="date" name="to" defaultValue={filter.to} className={box} />
        </Field>
        <Field label="Reference" hint="How it begins">
          <input name="reference" defaultValue={filter.reference} className={box} autoComplete="off" />
        </Field>
        <Field label="Key" hint={wholeKeys ? 'The whole key' : 'Its first 8 characters or more'}>
          <input name="key" defaultValue={filter.key} className={`${box} font-mono`} autoComplete="off" />
        </Field>
        <fieldset className="sm:col-span-2">
          <legend className="mb-1.5 font-medium text-xs">Amount</legend>
          <div className="flex gap-2">
            <select
              name="currency"
              aria-label="Currency"
              defaultValue={currency ?? ''}
              className={`${box} w-28`}
            >
              <option value="">Any</option>
              {withChosen(choices.currencies, currency).map((code) => (
                <option key={code} value={code}>
                  {code.toUpperCase()}
                </option>
              ))}
            </select>
            <input
              name="min"
              aria-label="At least"
              placeholder="from"
              inputMode="decimal"
              defaultValue={writeAmount(filter.minMinor, currency)}
              className={box}
            />
            <input
              name="max"
              aria-label="At most"
              placeholder="to"
              inputMode="decimal"
              defaultValue={writeAmount(filter.maxMinor, currency)}
              className={box}
            />
          </div>
          <p className="mt-1 text-ink-faint text-xs">
            Amounts are compared within one currency
            {choices.currencies[0] && `: ${choices.currencies[0].toUpperCase()}, unless another is chosen`}.
          </p>
        </fieldset>
        <div className="flex flex-wrap gap-x-5 sm:col-span-2">
          <Tick name="escalated" label="In the operators’ queue" on={filter.escalated} />
          <Tick name="due" label="Automatic check due" on={filter.due} />
        </div>
        {choices.shops.length > 1 && (
          <Choice
            name="shop"
            label="Shop"
            value={filter.shop}
            any="Current shop"
            options={[
              ...choices.shops.map(({ slug, name }) => [slug, name] as const),
              [allShops, 'All my shops'],
            ]}
          />
        )}
        <div className="flex items-end gap-2 sm:col-span-2 lg:col-span-4">
          <Button type="submit" size="small">
            Apply
          </Button>
          <Button type="button" tone="quiet" size="small" onClick={() => openPage('/admin/operations')}>
            Clear
          </Button>
        </div>
      </form>
    </details>
  );
}

const box =
  'block min-h-11 w-full min-w-0 rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm pointer-fine:min-h-9';

function Field({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child
    <label className="block">
      <span className="mb-1.5 block font-medium text-xs">{label}</span>
      {children}
      {hint && <span className="mt-1 block text-ink-faint text-xs">{hint}</span>}
    </label>
  );
}

function Choice(props: {
  name: string;
  label: string;
  value: string | undefined;
  any?: string;
  options: readonly (readonly [string, string])[];
}) {
  const isListed = props.options.some(([value]) => value === props.value);
  return (
    <Field label={props.label}>
      <select name={props.name} defaultValue={props.value ?? ''} className={box}>
        {props.any && <option value="">{props.any}</option>}
        {props.value && !isListed && <option value={props.value}>{props.value}</option>}
        {props.options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Tick({ name, label, on }: { name: string; label: string; on: true | undefined }) {
  return (
    <label className="inline-flex min-h-11 items-center gap-2.5 text-sm">
      <input type="checkbox" name={name} value="1" defaultChecked={on} className="size-4 accent-accent" />
      {label}
    </label>
  );
}

/** The filters whose value is a span of time, counted back from now. */
function timesOf(filter: OperationFilter) {
  const age = { any: 'Any age', options: spans };
  const event = { any: 'Any time', options: recentSpans };
  return [
    { name: 'older', label: 'Older than', minutes: filter.olderThanMinutes, ...age },
    { name: 'younger', label: 'Younger than', minutes: filter.youngerThanMinutes, ...age },
    {
      name: 'became_unknown',
      label: 'Became unknown',
      minutes: filter.becameUnknownWithinMinutes,
      ...event,
    },
    { name: 'resolved', label: 'Resolved from unknown', minutes: filter.resolvedWithinMinutes, ...event },
  ];
}

function spanOf(minutes: number | undefined): string | undefined {
  if (minutes === undefined) return undefined;
  return (
    spans.find(([span]) => readFilter({ older: span }).olderThanMinutes === minutes)?.[0] ??
    writeSpan(minutes)
  );
}

/** The value in the address is an option, also when the shop has none of it. */
function withChosen<T extends string>(values: readonly T[], chosen: T | undefined): readonly T[] {
  return chosen === undefined || values.includes(chosen) ? values : [...values, chosen];
}
