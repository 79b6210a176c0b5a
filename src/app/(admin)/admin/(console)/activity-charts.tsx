import Link from 'next/link';
import type { ActivityStep, Range } from '#server/console/activity-series.ts';
import { Chart } from '#ui/chart/chart.tsx';
import { durationWords } from '#ui/chart/scale.ts';

interface Activity {
  readonly range: Range;
  readonly stepMs: number;
  readonly steps: readonly ActivityStep[];
}

export function ActivityCharts({ activity }: { activity: Activity }) {
  const { range, stepMs, steps } = activity;
  const frame = { steps: steps.map(({ at }) => at), stepMs };
  const all = (of: (step: ActivityStep) => number) => steps.reduce((sum, step) => sum + of(step), 0);
  const truths = all(({ truths }) => truths);
  const worst = Math.max(0, ...steps.map(({ p95Ms }) => p95Ms ?? 0));
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Chart
        {...frame}
        title="Operations begun"
        of="counts"
        series={[
          { name: 'Payments', tone: 'accent', values: steps.map(({ payments }) => payments) },
          { name: 'Refunds', tone: 'quiet', values: steps.map(({ refunds }) => refunds) },
        ]}
      >
        <Figure href={`/admin/operations?kind=payment.create&younger=${range}`}>
          {count(
            all(({ payments }) => payments),
            'payment',
          )}
        </Figure>
        {', '}
        <Figure href={`/admin/operations?kind=refund.create&younger=${range}`}>
          {count(
            all(({ refunds }) => refunds),
            'refund',
          )}
        </Figure>
      </Chart>
      <Chart
        {...frame}
        title="Time to truth"
        of="durations"
        series={[
          { name: 'Half within', tone: 'accent', values: steps.map(({ p50Ms }) => p50Ms) },
          { name: '95 % within', tone: 'unknown', values: steps.map(({ p95Ms }) => p95Ms) },
        ]}
      >
        From an outcome becoming unknown to its being known; the scale is logarithmic.
        {truths > 0 && ` ${count(truths, 'truth')} found, 95 % within ${durationWords(worst)} at the worst.`}
      </Chart>
      <Chart
        {...frame}
        title="Outcomes that became unknown"
        of="counts"
        series={[{ name: 'Became unknown', tone: 'unknown', values: steps.map(({ unknown }) => unknown) }]}
      >
        {count(
          all(({ unknown }) => unknown),
          'outcome',
        )}
        ; <Figure href="/admin/operations?sort=unknown">those that still are</Figure>
      </Chart>
      <Chart
        {...frame}
        title="Repeats and misuse"
        of="counts"
        series={[
          { name: 'Replayed', tone: 'ok', values: steps.map(({ replays }) => replays) },
          { name: 'Held back', tone: 'accent', values: steps.map(({ held }) => held) },
          { name: 'Misuse', tone: 'danger', values: steps.map(({ misuses }) => misuses) },
        ]}
      >
        {count(
          all(({ replays, held }) => replays + held),
          'repeated request',
        )}{' '}
        charged nobody again;{' '}
        <Figure href="/admin/operations?misused=1">
          {count(
            all(({ misuses }) => misuses),
            'misuse',
          )}{' '}
          of a key
        </Figure>
      </Chart>
    </div>
  );
}

function Figure({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <Link href={href} className="underline decoration-line-strong underline-offset-4 hover:decoration-accent">
      {children}
    </Link>
  );
}

function count(number: number, thing: string): string {
  return `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;
}
