import type { Metadata } from 'next';
import { type Status, statuses } from '#server/console/list-operations.ts';
import { StatusTabs } from '#ui/admin/status-tabs.tsx';
import { Moment } from '#ui/moment.tsx';
import { Notice } from '#ui/notice.tsx';
import { serverApi } from '../../../../trpc/server.ts';
import { signedIn } from '../../signed-in.ts';
import { OperationTable } from './operation-table.tsx';

export const metadata: Metadata = { title: 'Operations' };

/** The page of a queue that is meant to be empty; issue 7's pagination takes over from here. */
const pageSize = 100;

export default async function OperationsPage({
  searchParams,
}: {
  searchParams: Promise<{ status?: string }>;
}) {
  const { status: wanted } = await searchParams;
  const status = statusOf(wanted);
  const api = await serverApi();
  const [{ operations, counts }, provider] = await signedIn(
    Promise.all([
      api.operations.list({ limit: pageSize, ...(status && { status }) }),
      api.operations.provider(),
    ]),
  );
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Operations</h1>
      <p className="mt-1 mb-6 max-w-[65ch] text-ink-soft">
        An unknown operation may have charged the shopper. Only evidence from the provider settles it.
      </p>
      {provider.open && (
        <Notice tone="warn" title="The provider is not answering." className="mb-6">
          It is asked one question every few seconds until it does; then everything unknown is looked into
          again.
          {provider.since && (
            <>
              {' '}
              Since <Moment at={provider.since} />.
            </>
          )}
        </Notice>
      )}
      <StatusTabs counts={counts} current={status ?? 'all'} />
      <OperationTable
        key={status ?? 'all'}
        operations={operations}
        status={status ?? 'all'}
        now={Date.now()}
        full={operations.length === pageSize}
      />
    </>
  );
}

/** The unknown ones are why an operator comes here. */
function statusOf(wanted: string | undefined): Status | undefined {
  if (wanted === 'all') return undefined;
  return statuses.find((status) => status === wanted) ?? 'unknown';
}
