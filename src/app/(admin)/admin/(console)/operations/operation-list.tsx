'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { type MouseEvent, type ReactNode, useMemo, useRef, useState, useTransition } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import { showShop } from '#app/trpc/shop-of-page.tsx';
import type { Page } from '#console/operations-list/list-operations.ts';
import { allShops, type OperationFilter } from '#console/operations-list/operation-filter.ts';
import { EmptyOperations } from '#ui/admin/empty-operations.tsx';
import { OperationRows } from '#ui/admin/operation-rows.tsx';
import { Pager } from '#ui/admin/pager.tsx';
import { shopParameter } from '#ui/admin/shop-address.ts';
import { BulkBar } from './bulk-bar.tsx';
import { hrefOf, sortCopy } from './filter-copy.ts';
import { ListUpdates } from './list-updates.tsx';
import { RowAction } from './row-action.tsx';
import { useLiveRows } from './use-live-rows.ts';
import { useReconciling } from './use-reconciling.ts';
import { useRowShortcuts } from './use-row-shortcuts.ts';

export interface Shop {
  readonly tenantId: string;
  readonly slug: string;
  readonly name: string;
}

/**
 * A page of operations that stays current while an operator works through it. No row moves by itself: a row that was
 * resolved stays where it was, with the result beside it, until the operator refreshes the list.
 */
export function OperationList(props: {
  page: Page;
  /** Shown on one line with the updates. */
  filters: ReactNode;
  filter: OperationFilter;
  place: { after?: string | undefined; before?: string | undefined };
  now: number;
  tenantId: string;
  shops: readonly Shop[];
  mayAct: boolean;
  bulkId: string;
}) {
  const { page, filter } = props;
  const router = useRouter();
  const switchShop = useMutation(
    useTRPC().account.switchShop.mutationOptions({
      onMutate: (): unknown => showShop(undefined),
      onError: () => showShop(props.tenantId),
    }),
  );
  const list = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [refreshing, startRefreshing] = useTransition();
  const base = useMemo(() => [...page.operations], [page]);
  const live = useLiveRows({
    rows: base,
    filter,
    place: props.place,
  });
  const reconciling = useReconciling({ ...props, onFound: live.patch });
  const unknown = live.rows.filter(({ status }) => status === 'unknown');

  function select(ids: readonly string[], on: boolean) {
    setSelected((before) => {
      const after = new Set(before);
      for (const id of ids) on ? after.add(id) : after.delete(id);
      return after;
    });
  }

  /**
   * A row of another of the member's shops switches the session to that shop. Its page is a new document, as with every other shop;
   * the way back leads to this list, which the server renders for either, once its address no longer names this shop.
   */
  function openElsewhere(row: { id: string; tenantId: string }, event: MouseEvent) {
    if (row.tenantId === props.tenantId || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const open = () => {
      const here = new URL(window.location.href);
      here.searchParams.delete(shopParameter);
      window.history.replaceState(null, '', here);
      window.location.assign(`/admin/operations/${row.id}`);
    };
    switchShop.mutate({ tenantId: row.tenantId }, { onSuccess: open });
  }

  function refresh() {
    startRefreshing(() => {
      reconciling.forget();
      router.refresh();
    });
  }

  useRowShortcuts(list, {
    select: (id) => props.mayAct && select([id], !selected.has(id)),
    reconcile: (id) => {
      const row = unknown.find((one) => one.id === id);
      if (row && props.mayAct) reconciling.one(row);
    },
    showNew: () => (live.newCount > 0 || live.changed.size > 0) && refresh(),
  });

  const several = filter.shop === allShops && props.shops.length > 1;
  return (
    <div ref={list} className="relative pt-3">
      {props.filters}
      <ListUpdates
        newCount={live.newCount}
        changedCount={live.changed.size}
        shown={live.rows.length}
        busy={refreshing}
        onShow={refresh}
      />
      {live.rows.length === 0 ? (
        <EmptyOperations
          status={filter.status ?? 'all'}
          filtered={hrefOf({ ...filter, status: undefined, sort: 'newest' }) !== hrefOf({ sort: 'newest' })}
          scanned={page.scanned}
        />
      ) : (
        <OperationRows
          rows={live.rows}
          caption={`Operations. ${sortCopy[filter.sort]}.`}
          now={props.now}
          selected={selected}
          onSelect={props.mayAct ? select : undefined}
          shopNames={several ? new Map(props.shops.map(({ tenantId, name }) => [tenantId, name])) : undefined}
          changed={live.changed}
          onOpen={openElsewhere}
          action={(row) => (
            <RowAction
              wasUnknown={
                props.mayAct && base.some(({ id, status }) => id === row.id && status === 'unknown')
              }
              unknown={row.status === 'unknown'}
              progress={reconciling.progress.get(row.id)}
              onReconcile={() => {
                const one = live.rows.find(({ id }) => id === row.id);
                if (one) reconciling.one(one);
              }}
            />
          )}
        />
      )}
      <Pager
        previous={page.previous && hrefOf(filter, { before: page.previous })}
        next={page.next && hrefOf(filter, { after: page.next })}
        scanned={page.scanned}
      />
      {props.mayAct && (
        <BulkBar
          selected={live.rows.filter(({ id }) => selected.has(id))}
          unknown={unknown}
          progress={reconciling.progress}
          onReconcile={(rows) => void reconciling.many(rows)}
          onSelectUnknown={() => setSelected(new Set(unknown.map(({ id }) => id)))}
          onClear={() => setSelected(new Set())}
        />
      )}
    </div>
  );
}
