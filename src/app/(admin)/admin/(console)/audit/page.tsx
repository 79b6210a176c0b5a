import type { Metadata } from 'next';
import { signedIn } from '#app/(admin)/admin/signed-in.ts';
import { zoneOfConsole } from '#app/(admin)/admin/zone.ts';
import { serverApi } from '#app/trpc/server.ts';
import { actionCopy } from '#ui/admin/action-copy.ts';
import { ConsoleLink } from '#ui/admin/console-link.tsx';
import { DataTable } from '#ui/admin/data-table.tsx';
import { Evidence } from '#ui/admin/evidence.tsx';
import { ExportLink } from '#ui/admin/export-link.tsx';
import { FilterBar, FilterInput, FilterSelect } from '#ui/admin/filter-bar.tsx';
import { Pages } from '#ui/admin/pages.tsx';
import { When } from '#ui/admin/when.tsx';
import { addressOf, type Query, readQuery } from '../query.ts';
import { auditQuery } from './audit-query.ts';
import { subjectAddress, subjectCopy } from './subject-copy.ts';

export const metadata: Metadata = { title: 'Audit log' };

export default async function AuditPage({ searchParams }: { searchParams: Query }) {
  const parameter = await readQuery(searchParams);
  const { query, filter } = auditQuery(parameter, await zoneOfConsole());
  const before = parameter('before');
  const api = await serverApi();
  const [{ entries, next }, choices, { tenantId }] = await signedIn(
    Promise.all([
      api.audit.list({ ...filter, ...(before && { before }) }),
      api.audit.choices(),
      api.people.me(),
    ]),
  );
  const filtered = Object.values(query).some(Boolean);
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div>
          <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Audit log</h1>
          <p className="mt-1 max-w-[65ch] text-ink-soft">
            What people did here, why, and on what evidence. Entries cannot be changed.
          </p>
        </div>
        <ExportLink address={addressOf('/admin/audit/export', query)} tenantId={tenantId}>
          Export as CSV
        </ExportLink>
      </div>
      <FilterBar action="/admin/audit" label="Filter the log" clear={filtered}>
        <FilterSelect
          name="person"
          label="Person"
          value={query.person}
          any="Anyone"
          options={choices.people.map((one) => [one, one] as const)}
        />
        <FilterSelect
          name="action"
          label="Action"
          value={query.action}
          any="Any action"
          options={choices.actions.map((one) => [one, actionCopy(one)] as const)}
        />
        <FilterInput name="subject" label="About (id)" value={query.subject} />
        <FilterInput name="from" label="From" type="date" value={query.from} />
        <FilterInput name="until" label="To" type="date" value={query.until} />
      </FilterBar>
      <DataTable
        caption="Entries, newest first"
        headings={['When', 'Who', 'What', 'About', 'Reason and evidence']}
        empty={filtered || before ? 'No matching entries.' : 'No entries yet.'}
        rows={entries.map((entry) => ({
          key: entry.id,
          cells: [
            <span key="at" className="whitespace-nowrap tabular-nums">
              <When at={entry.at} />
            </span>,
            entry.person,
            actionCopy(entry.action),
            <Subject key="subject" subject={entry.subject} reference={entry.reference} />,
            <div key="why" className="min-w-56 max-w-md">
              {entry.reason && <p className="break-words">“{entry.reason}”</p>}
              {entry.details !== null && (
                <details>
                  <summary className="inline-flex min-h-11 items-center text-ink-soft underline decoration-line-strong underline-offset-4 pointer-fine:min-h-7">
                    Details
                  </summary>
                  <Evidence value={entry.details} />
                </details>
              )}
            </div>,
          ],
        }))}
      />
      <Pages
        what="the log"
        newest={before && addressOf('/admin/audit', query)}
        older={next ? addressOf('/admin/audit', { ...query, before: next }) : undefined}
      />
    </>
  );
}

function Subject(props: { subject: { type: string; id: string }; reference: string | null }) {
  const { subject } = props;
  const address = subjectAddress(subject);
  const text = props.reference ?? subjectCopy(subject);
  return address ? <ConsoleLink href={address}>{text}</ConsoleLink> : text;
}
