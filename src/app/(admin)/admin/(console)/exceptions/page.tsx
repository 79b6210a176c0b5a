import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { serverApi } from '#app/trpc/server.ts';
import { formatMoney } from '#payments/money.ts';
import { EmptyList } from '#ui/admin/data-table.tsx';
import { Link } from '#ui/admin/link.tsx';
import { Pager } from '#ui/admin/pager.tsx';
import { addressOf, type Query, readQuery } from '../query.ts';
import { ExceptionActions } from './exception-actions.tsx';
import { ExceptionRows } from './exception-rows.tsx';

export const metadata: Metadata = { title: 'Unexpected payments' };

export default async function ExceptionsPage({ searchParams }: { searchParams: Query }) {
  const parameter = await readQuery(searchParams);
  const [open, after, before] = [parameter('open'), parameter('after'), parameter('before')];
  const onlyOpen = open !== undefined;
  const api = await serverApi();
  const [{ exceptions, waiting, next, previous }, member] = await signedIn(
    Promise.all([api.exceptions.list({ onlyOpen, after, before }), api.people.me()]),
  );
  const pageAt = (place: { after?: string; before?: string }) =>
    addressOf('/admin/exceptions', { open, ...place });
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Unexpected payments</h1>
      <p className="mt-1 max-w-[65ch] text-ink-soft">
        Money that arrived after its order was closed, and refunds that came back. A person decides what to do
        with each.
      </p>
      <p className="mt-3 mb-4 text-sm">
        {waiting === 0 ? 'None to decide.' : `${waiting} to decide.`}{' '}
        {onlyOpen ? (
          <SwitchLink href="/admin/exceptions">Show the decided ones too</SwitchLink>
        ) : (
          waiting > 0 && <SwitchLink href="/admin/exceptions?open=1">Show only those</SwitchLink>
        )}
      </p>
      {exceptions.length === 0 ? (
        <EmptyList>
          {previous || next
            ? 'No more entries.'
            : onlyOpen
              ? 'Nothing to decide.'
              : 'None. Every payment was expected.'}
        </EmptyList>
      ) : (
        <ExceptionRows
          exceptions={exceptions}
          action={(one) =>
            member.role === 'viewer' ? (
              'Waiting for an operator'
            ) : (
              <ExceptionActions {...one} amount={formatMoney(one.refundable ? one.toRefund : one.amount)} />
            )
          }
        />
      )}
      <Pager previous={previous && pageAt({ before: previous })} next={next && pageAt({ after: next })} />
    </>
  );
}

function SwitchLink({ href, children }: { href: string; children: string }) {
  return (
    <Link
      href={href}
      className="inline-flex min-h-11 items-center underline decoration-line-strong underline-offset-4 hover:decoration-accent pointer-fine:min-h-6"
    >
      {children}
    </Link>
  );
}
