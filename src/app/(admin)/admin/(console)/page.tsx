import type { Metadata } from 'next';
import { serverApi } from '#app/trpc/server.ts';
import { type Range, ranges } from '#console/overview/activity-series.ts';
import { CountTile } from '#ui/admin/count-tile.tsx';
import { HealthLine } from '#ui/admin/health-line.tsx';
import { Link } from '#ui/admin/link.tsx';
import { ProviderPause } from '#ui/admin/provider-pause.tsx';
import { When } from '#ui/admin/when.tsx';
import { formatAge } from '#ui/format-duration.ts';
import { signedIn } from '../signed-in.ts';
import { ActivityCharts } from './activity-charts.tsx';
import { LiveOverview } from './live-overview.tsx';
import { NeedsAPerson } from './needs-a-person.tsx';

export const metadata: Metadata = { title: 'Overview' };

const rangeCopy: Record<Range, string> = { '1h': '1 hour', '24h': '24 hours', '7d': '7 days' };

export default async function OverviewPage({ searchParams }: { searchParams: Promise<{ range?: string }> }) {
  const { range: wanted } = await searchParams;
  const api = await serverApi();
  const range =
    (Object.keys(ranges) as Range[]).find((one) => one === wanted) ?? (await signedIn(api.overview.range()));
  const [open, health, activity, figures] = await signedIn(
    Promise.all([
      api.overview.open(),
      api.overview.health(),
      api.overview.activity({ range }),
      api.overview.figures({ range }),
    ]),
  );
  const { provider, workers, reconciliation, exceptions } = health;
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">Overview</h1>
      <NeedsAPerson />
      <LiveOverview />
      <section aria-label="Open operations" className="mt-4 grid gap-4 sm:grid-cols-2">
        <CountTile
          name="In progress"
          empty="No payment in progress"
          href="/admin/operations?status=in_progress&sort=oldest"
          tone="accent"
          open={open.inProgress}
        />
        <CountTile
          name="Unknown"
          empty="Every outcome is known"
          href="/admin/operations?sort=unknown"
          tone="unknown"
          open={open.unknown}
        />
      </section>
      <section
        aria-labelledby="health"
        className="mt-4 rounded-2xl border border-line bg-surface shadow-card"
      >
        <h2 id="health" className="sr-only">
          Health
        </h2>
        <ul className="grid sm:grid-cols-2 lg:grid-cols-4">
          <HealthLine name="Provider" healthy={!provider.open && !provider.pausedUntil}>
            {provider.open
              ? 'Not answering; retried every few seconds'
              : provider.pausedUntil
                ? 'Answering; has asked for a pause'
                : 'Answering'}
          </HealthLine>
          <HealthLine name="Workers" healthy={workers.alive > 0}>
            {workers.alive > 0
              ? `${workers.alive} running`
              : workers.heartbeatAgeMs === null
                ? 'None has reported yet'
                : `None running; last seen ${formatAge(workers.heartbeatAgeMs)} ago`}
          </HealthLine>
          <HealthLine
            name="Reconciliation"
            // A due check is made within a second or two; after half a minute the worker is not doing its work.
            healthy={reconciliation.lagMs < 30_000}
            href="/admin/operations?due=1&sort=unknown"
          >
            {reconciliation.overdue === 0
              ? 'No check overdue'
              : `${reconciliation.overdue} due, oldest for ${formatAge(reconciliation.lagMs)}`}
          </HealthLine>
          <HealthLine name="Unexpected payments" healthy={exceptions === 0} href="/admin/exceptions?open=1">
            {exceptions === 0 ? 'None to decide' : `${exceptions} to decide`}
          </HealthLine>
        </ul>
        {provider.open && provider.since && (
          <p className="border-line border-t px-5 py-3 text-ink-soft text-sm">
            The provider has not answered since <When at={provider.since} precise />.
          </p>
        )}
        {provider.pausedUntil && (
          <p className="border-line border-t px-5 py-3 text-ink-soft text-sm">
            <ProviderPause until={provider.pausedUntil} />
          </p>
        )}
      </section>
      <section aria-labelledby="activity" className="mt-8">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
          <h2 id="activity" className="font-semibold text-lg tracking-tight">
            Activity
          </h2>
          <nav aria-label="Time range">
            <ul className="flex rounded-xl bg-sunken p-1 text-sm">
              {(Object.keys(ranges) as Range[]).map((one) => (
                <li key={one}>
                  <Link
                    href={`/admin?range=${one}`}
                    scroll={false}
                    aria-current={one === range ? 'true' : undefined}
                    className="inline-flex min-h-11 items-center rounded-lg px-3.5 text-ink-soft hover:text-ink aria-[current]:bg-surface aria-[current]:font-medium aria-[current]:text-ink aria-[current]:shadow-card pointer-fine:min-h-8"
                  >
                    {rangeCopy[one]}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
        </div>
        <ActivityCharts activity={activity} figures={figures} />
      </section>
    </>
  );
}
