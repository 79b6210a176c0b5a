import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { serverApi } from '#app/trpc/server.ts';
import { writeAmount } from '#console/operations-list/operation-filter.ts';
import {
  type PaymentFilter,
  paymentOutcomes,
  readPaymentFilter,
  writePaymentFilter,
} from '#console/payments/payment-filter.ts';
import type { Currency } from '#payments/money.ts';
import { PageHeading } from '#ui/admin/card.tsx';
import { EmptyList } from '#ui/admin/data-table.tsx';
import { ExportLink } from '#ui/admin/export-link.tsx';
import { FilterBar, FilterInput, FilterSelect } from '#ui/admin/filter-bar.tsx';
import { Pager } from '#ui/admin/pager.tsx';
import { paymentOutcomeCopy } from '#ui/admin/payment-outcome-copy.ts';
import { cursorOf, type Query, readQuery } from '../../query.ts';
import { PaymentRows } from '../payment-rows.tsx';

export const metadata: Metadata = { title: 'Payments' };

export default async function PaymentsPage({ searchParams }: { searchParams: Query }) {
  const parameter = await readQuery(searchParams);
  const api = await serverApi();
  const [currencies, { tenantId }] = await signedIn(Promise.all([api.payment.currencies(), api.people.me()]));
  const filter = readPaymentFilter(await searchParams, currencies[0]);
  const place = { after: cursorOf(parameter('after')), before: cursorOf(parameter('before')) };
  const page = await signedIn(
    api.payment.list({ filter: { ...filter, zone: await zoneOfConsole() }, ...place }),
  );
  const query = writePaymentFilter(filter);
  const hrefOf = (next: Record<string, string>) =>
    `/admin/payments?${[query, new URLSearchParams(next).toString()].filter(Boolean).join('&')}`;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div>
          <PageHeading title="Payments">What customers paid, and what was paid back.</PageHeading>
        </div>
        <ExportLink address={`/admin/payments/export${query && `?${query}`}`} tenantId={tenantId}>
          Export
        </ExportLink>
      </div>
      <FilterBar
        action="/admin/payments"
        label="Filter payments"
        clear={query !== ''}
        more={{ fields: <MoreFilters filter={filter} currencies={currencies} />, chosen: countOthers(query) }}
      >
        <div className="col-span-2 sm:min-w-48 sm:flex-1">
          <FilterInput name="q" label="Order, e-mail address or id" value={filter.search} />
        </div>
      </FilterBar>
      <div className="mt-6">
        {page.payments.length === 0 ? (
          <EmptyList>
            {page.scanned
              ? 'No match among the payments that were searched.'
              : query
                ? 'No payment matches these filters.'
                : 'No payment yet.'}
          </EmptyList>
        ) : (
          <PaymentRows rows={page.payments} />
        )}
      </div>
      <Pager
        previous={page.previous && hrefOf({ before: page.previous })}
        next={page.next && hrefOf({ after: page.next })}
        scanned={page.scanned}
        what="payments"
      />
    </>
  );
}

/** How many filters are set besides the search. */
function countOthers(query: string): number {
  return [...new URLSearchParams(query).keys()].filter((name) => name !== 'q').length;
}

function MoreFilters({ filter, currencies }: { filter: PaymentFilter; currencies: readonly Currency[] }) {
  // The one of the address too: the form would leave it out, and with it the meaning of the amounts.
  const offered = new Set([...currencies, ...(filter.currency ? [filter.currency] : [])]);
  return (
    <>
      <FilterSelect
        name="outcome"
        label="Status"
        value={filter.outcome}
        any="Any"
        options={paymentOutcomes.map((outcome) => [outcome, paymentOutcomeCopy[outcome]])}
      />
      <FilterInput name="last4" label="Card ends in" value={filter.last4} size={4} />
      <FilterInput name="from" label="From" value={filter.from} type="date" />
      <FilterInput name="to" label="To" value={filter.to} type="date" />
      <FilterInput
        name="min"
        label="Amount from"
        value={writeAmount(filter.minMinor, filter.currency)}
        size={7}
      />
      <FilterInput
        name="max"
        label="Amount to"
        value={writeAmount(filter.maxMinor, filter.currency)}
        size={7}
      />
      <FilterSelect
        name="currency"
        label="Currency"
        value={filter.currency}
        any="Any"
        options={[...offered].map((code) => [code, code.toUpperCase()])}
      />
    </>
  );
}
