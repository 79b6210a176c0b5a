import { randomUUID } from 'node:crypto';
import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { serverApi } from '#app/trpc/server.ts';
import { filterStatuses, readFilter, writeFilter } from '#console/operations-list/operation-filter.ts';
import { ExportLink } from '#ui/admin/export-link.tsx';
import { ProviderPause } from '#ui/admin/provider-pause.tsx';
import { StatusTabs } from '#ui/admin/status-tabs.tsx';
import { When } from '#ui/admin/when.tsx';
import { Notice } from '#ui/notice.tsx';
import { PauseChecks } from '../../check-pause.tsx';
import { cursorOf, readQuery } from '../../query.ts';
import { FilterChips } from '../filter-chips.tsx';
import { hrefOfStatus } from '../filter-copy.ts';
import { FilterPanel } from '../filter-panel.tsx';
import { OperationList } from '../operation-list.tsx';
import { SearchField } from '../search-field.tsx';
import { ViewsMenu } from '../views-menu.tsx';

export const metadata: Metadata = { title: 'Operations' };

export default async function OperationsPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const params = await searchParams;
  const parameter = await readQuery(searchParams);
  const place = { after: cursorOf(parameter('after')), before: cursorOf(parameter('before')) };
  const api = await serverApi();
  // An amount without a currency is one of the shops that are listed, as the form says.
  const choices = await signedIn(api.operations.choices({ shop: readFilter(params).shop }));
  const filter = { ...readFilter(params, choices.currencies[0]), zone: await zoneOfConsole() };
  const [page, counts, provider, views, member] = await signedIn(
    Promise.all([
      api.operations.list({ filter, ...place }),
      api.operations.counts({ shop: filter.shop }),
      api.operations.provider(),
      api.views.list(),
      api.people.me(),
    ]),
  );
  const query = writeFilter(filter);
  const statuses = [...filterStatuses, 'all'] as const;
  const hrefs = Object.fromEntries(
    statuses.map((status) => [status, hrefOfStatus(filter, status === 'all' ? undefined : status)]),
  ) as Record<(typeof statuses)[number], string>;
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div>
          <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Operations</h1>
          <p className="mt-1 text-ink-soft text-sm">
            An unknown operation may have charged the shopper. Only evidence from the provider resolves it.
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          {member.role !== 'viewer' && <PauseChecks />}
          <ViewsMenu query={query} builtIn={views.builtIn} own={views.own} />
          <ExportLink address={`/admin/operations/export${query && `?${query}`}`} tenantId={member.tenantId}>
            Export
          </ExportLink>
        </div>
      </div>
      {provider.open && (
        <Notice tone="warn" title="The provider is not answering." className="mt-5">
          It is asked again every few seconds. When it answers, all unknown operations are checked.
          {provider.since && (
            <>
              {' '}
              Since <When at={provider.since} />.
            </>
          )}
        </Notice>
      )}
      {provider.pausedUntil && (
        <Notice tone="warn" title="Automatic checks are paused." className="mt-5">
          <ProviderPause until={provider.pausedUntil} />
        </Notice>
      )}
      <SearchField key={`search ${query}`} filter={filter} />
      <StatusTabs counts={counts} current={filter.status ?? 'all'} hrefs={hrefs} />
      <OperationList
        // Another list starts without the selection and the results of this one.
        key={`${query} ${place.after ?? ''} ${place.before ?? ''}`}
        page={page}
        filters={
          <>
            <FilterPanel
              key={`filter ${query}`}
              filter={filter}
              choices={choices}
              wholeKeys={member.role === 'viewer'}
            />
            <FilterChips filter={filter} shops={choices.shops} />
          </>
        }
        filter={filter}
        place={place}
        now={Date.now()}
        tenantId={member.tenantId}
        shops={member.shops.map(({ tenantId, tenantName: name, tenantSlug: slug }) => ({
          tenantId,
          name,
          slug,
        }))}
        bulkId={randomUUID()}
        mayAct={member.role !== 'viewer'}
      />
    </>
  );
}
