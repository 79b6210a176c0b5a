'use client';

import { Search } from 'lucide-react';
import type { FormEvent } from 'react';
import { type OperationFilter, readFilter, writeFilter } from '#console/operations-list/operation-filter.ts';
import { ShopField, useOpenPage } from '#ui/admin/linked-shop.tsx';
import { hrefOf } from './filter-copy.ts';

/** One field for every identifier. The other filters stay. */
export function SearchField({ filter }: { filter: OperationFilter }) {
  const openPage = useOpenPage();
  const rest = [...new URLSearchParams(writeFilter({ ...filter, search: undefined }))];

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get('q');
    openPage(hrefOf({ ...filter, search: readFilter({ q: String(typed ?? '') }).search }));
  }

  return (
    <search>
      <form action="/admin/operations" onSubmit={onSubmit} className="relative mt-5 mb-2">
        <Search
          className="pointer-events-none absolute top-1/2 left-3.5 size-4 -translate-y-1/2 text-ink-faint"
          aria-hidden="true"
        />
        <input
          type="search"
          name="q"
          defaultValue={filter.search}
          data-console-search
          aria-label="Search operations"
          placeholder="Order number, operation, payment, pi_…, ch_…, key or e-mail"
          autoComplete="off"
          spellCheck={false}
          maxLength={300}
          // 16 px on a phone: a smaller font makes it zoom into the field.
          className="block min-h-11 w-full rounded-xl border border-line-strong bg-surface pr-4 pl-10 text-base placeholder:text-ink-faint focus-visible:border-accent focus-visible:outline-offset-0 sm:text-sm"
        />
        <ShopField />
        {rest.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
      </form>
    </search>
  );
}
