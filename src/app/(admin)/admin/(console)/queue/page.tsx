import { CircleCheck } from 'lucide-react';
import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { formatMoney } from '#payments/money.ts';
import { codeCopy } from '#ui/admin/code-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { Link } from '#ui/admin/link.tsx';
import { kindCopy } from '#ui/admin/operation-copy.ts';
import { When } from '#ui/admin/when.tsx';
import { formatAge } from '#ui/format-duration.ts';
import { type Query, readQuery } from '../query.ts';
import { ReconcileQueued } from './reconcile-queued.tsx';

export const metadata: Metadata = { title: 'Operators’ queue' };

export default async function QueuePage({ searchParams }: { searchParams: Query }) {
  const snoozed = (await readQuery(searchParams))('snoozed') !== undefined;
  const api = await serverApi();
  const [queue, open, member] = await signedIn(
    Promise.all([api.operations.queue({ snoozed }), api.overview.open(), api.people.me()]),
  );
  const { count, money } = snoozed ? open.snoozed : open.queue;
  const others = snoozed ? open.queue.count : open.snoozed.count;
  const now = Date.now();
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Operators’ queue</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft text-sm">
        Four days of automatic checks did not find out what became of these. None is marked as failed
        automatically: a person checks, and evidence decides.
      </p>
      {others > 0 && (
        <p className="mt-3 text-sm">
          <ConsoleLink href={snoozed ? '/admin/queue' : '/admin/queue?snoozed=1'}>
            {snoozed ? `${others} waiting now` : `${others} snoozed`}
          </ConsoleLink>
        </p>
      )}
      {queue.length === 0 ? (
        <div className="mt-6 rounded-2xl border border-line border-dashed px-6 py-16 text-center">
          <CircleCheck className="mx-auto mb-3 size-8 text-ok" aria-hidden="true" />
          <p className="font-medium">{snoozed ? 'Nothing is snoozed' : 'Nothing waits in the queue'}</p>
          <p className="mx-auto mt-1 max-w-[44ch] text-ink-soft text-sm leading-6">
            Unknown operations are still being checked automatically.{' '}
            <Link
              href="/admin/operations?sort=unknown"
              className="underline decoration-line-strong underline-offset-4 hover:decoration-accent"
            >
              See what is unknown
            </Link>
          </p>
        </div>
      ) : (
        <>
          <p className="mt-5 text-sm">
            <span className="font-semibold text-unknown">{count}</span> {snoozed ? 'snoozed' : 'waiting'}
            {money.length > 0 && (
              <>
                ,{' '}
                <span className="money font-semibold">
                  {money.map((each) => formatMoney(each)).join(' · ')}
                </span>{' '}
                at stake
              </>
            )}
            {count > queue.length && (
              <>
                ; the {queue.length} longest waiting are here,{' '}
                <Link
                  href="/admin/operations?escalated=1&sort=oldest"
                  className="underline underline-offset-4"
                >
                  the rest in the list
                </Link>
              </>
            )}
          </p>
          <ol className="mt-3 divide-y divide-line rounded-2xl border border-line bg-surface shadow-card">
            {queue.map((one) => (
              <li
                key={one.id}
                data-operation={one.id}
                className="grid gap-x-8 gap-y-3 px-5 py-4 text-sm md:grid-cols-[1fr_1.4fr_auto] md:items-start"
              >
                <div>
                  <Link
                    href={`/admin/operations/${one.id}`}
                    data-row-link
                    className="inline-flex min-h-11 items-center font-medium font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-4 hover:decoration-accent pointer-fine:min-h-6"
                  >
                    {one.payment?.reference ?? `key ${one.key}`}
                  </Link>
                  <p className="text-ink-soft">
                    {kindCopy(one.operation)}
                    {one.payment && (
                      <>
                        {' · '}
                        <span className="money font-medium text-ink">{formatMoney(one.payment.amount)}</span>
                      </>
                    )}
                  </p>
                </div>
                <div className="text-ink-soft leading-6">
                  <p>
                    Unknown for <span className="text-ink">{formatAge(now - Date.parse(one.updatedAt))}</span>
                    {one.escalatedAt && (
                      <>
                        , in the queue since <When at={one.escalatedAt} />
                      </>
                    )}
                  </p>
                  <p>
                    {one.checks} automatic {one.checks === 1 ? 'check' : 'checks'}
                    {one.errorCode && <> · cause: {codeCopy(one.errorCode, one.operation)}</>}
                  </p>
                  <p>
                    {one.people
                      ? `${one.people.checks} by operators, last ${formatAge(now - Date.parse(one.people.lastAt))} ago by ${one.people.lastEmail}`
                      : 'Not checked by an operator yet'}
                  </p>
                  {one.assignment.assignee && <p>Assigned to {one.assignment.assignee.email}</p>}
                  {one.assignment.snoozedUntil && (
                    <p>
                      Snoozed until <When at={one.assignment.snoozedUntil} />
                    </p>
                  )}
                  {one.note && (
                    <p className="break-words">
                      <span className="text-ink">“{one.note.text}”</span> {one.note.by}
                    </p>
                  )}
                </div>
                {member.role !== 'viewer' && (
                  <ReconcileQueued operationId={one.id} operation={one.operation} />
                )}
              </li>
            ))}
          </ol>
        </>
      )}
    </>
  );
}
