import { ArrowLeft } from 'lucide-react';
import type { Metadata } from 'next';
import Link from 'next/link';
import { formatMoney } from '#payments/money.ts';
import { OperationFacts } from '#ui/admin/operation-facts.tsx';
import { StatusBadge } from '#ui/admin/status-badge.tsx';
import { Timeline } from '#ui/admin/timeline.tsx';
import { orNotFound } from '../../../../../trpc/or-not-found.ts';
import { serverApi } from '../../../../../trpc/server.ts';
import { signedIn } from '../../../signed-in.ts';
import { ReconcileHere } from './reconcile-here.tsx';

export const metadata: Metadata = { title: 'Operation' };

export default async function OperationPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  const api = await serverApi();
  const operation = await signedIn(orNotFound(api.operation.get({ operationId: id })));
  return (
    <>
      <Link
        href={`/admin/operations?status=${operation.status}`}
        className="-ml-3 inline-flex min-h-11 items-center gap-2 rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
      >
        <ArrowLeft className="size-4" aria-hidden="true" />
        Operations
      </Link>
      <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="break-all font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">
          {operation.payment?.reference ?? `Operation ${operation.id.slice(0, 8)}`}
        </h1>
        {operation.payment && (
          <p className="money text-2xl text-ink-soft tracking-[-0.02em] sm:text-3xl">
            {formatMoney(operation.payment.amount)}
          </p>
        )}
        <StatusBadge status={operation.status} />
      </div>
      <OperationFacts operation={operation} />
      <div className="mt-6">
        <ReconcileHere operationId={operation.id} status={operation.status} />
      </div>
      <h2 className="mt-8 mb-4 font-semibold text-lg tracking-tight">What happened</h2>
      <Timeline events={operation.events} />
    </>
  );
}
