import { Fragment } from 'react';
import { operationCopy, operationNames } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Link } from '#ui/admin/link.tsx';
import { Chart } from '#ui/chart/chart.tsx';
import { formatDuration } from '#ui/format-duration.ts';

type Activity = RouterOutputs['overview']['activity'];
type Figures = RouterOutputs['overview']['figures'];

const spanCopy: Record<Activity['range'], string> = { '1h': 'hour', '24h': '24 hours', '7d': '7 days' };

/**
 * The charts count events, request by request; the figures above them count operations, and each links to the list of
 * exactly those.
 */
export function ActivityCharts(props: { activity: Activity; figures: Figures }) {
  const { figures } = props;
  const { range, stepMs, steps } = props.activity;
  const frame = { steps: steps.map(({ at }) => at), stepMs };
  const within = `in the last ${spanCopy[range]}`;
  const all = (of: (step: Activity['steps'][number]) => number) =>
    steps.reduce((sum, step) => sum + of(step), 0);
  const repeats = all(({ replays, held }) => replays + held);
  const worstP95Ms = Math.max(0, ...steps.map(({ p95Ms }) => p95Ms ?? 0));
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <Chart
        {...frame}
        title="Operations started"
        of="counts"
        series={operationNames.map((name) => {
          const { series, tone } = operationCopy[name].chart;
          return { name: series, tone, values: steps.map(({ started }) => started[name]) };
        })}
      >
        {operationNames.map((name, index) => (
          <Fragment key={name}>
            {separatorBefore(index, operationNames.length)}
            <Figure href={`/admin/operations?kind=${name}&younger=${range}`}>
              {count(figures.started[name], operationCopy[name].chart.noun)}
            </Figure>
          </Fragment>
        ))}
        {` ${within}`}
      </Chart>
      <Chart
        {...frame}
        title="Time to resolve"
        of="durations"
        series={[
          { name: 'Half within', tone: 'accent', values: steps.map(({ p50Ms }) => p50Ms) },
          { name: '95 % within', tone: 'unknown', values: steps.map(({ p95Ms }) => p95Ms) },
        ]}
      >
        {'How long outcomes stayed unknown: '}
        <Figure href={`/admin/operations?resolved=${range}`}>{count(figures.resolved, 'operation')}</Figure>
        {` ${within}`}
        {worstP95Ms > 0 && `, 95 % within ${formatDuration(worstP95Ms)} at worst`}. The scale is logarithmic.
      </Chart>
      <Chart
        {...frame}
        title="Outcomes that became unknown"
        of="counts"
        series={[{ name: 'Became unknown', tone: 'unknown', values: steps.map(({ unknown }) => unknown) }]}
      >
        <Figure href={`/admin/operations?became_unknown=${range}`}>
          {count(figures.becameUnknown, 'operation')}
        </Figure>
        {` ${within}; `}
        <Figure href={`/admin/operations?became_unknown=${range}&status=unknown`}>still unknown</Figure>
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
        {repeats === 0
          ? 'No repeated requests. '
          : `${counted(repeats, 'repeated request')} charged nothing and created no operation. `}
        <Figure href={`/admin/operations?misused=${range}`}>{count(figures.misused, 'key')} misused</Figure>
      </Chart>
    </div>
  );
}

/** "one, two and three" */
function separatorBefore(index: number, length: number): string {
  if (index === 0) return '';
  return index === length - 1 ? ' and ' : ', ';
}

function Figure({ href, children }: { href: string; children: React.ReactNode }) {
  return (
    <Link href={href} className="underline decoration-line-strong underline-offset-4 hover:decoration-accent">
      {children}
    </Link>
  );
}

function count({ count: number, capped }: Figures['misused'], thing: string): string {
  return capped ? `${number.toLocaleString('en-US')}+ ${thing}s` : counted(number, thing);
}

function counted(number: number, thing: string): string {
  return `${number.toLocaleString('en-US')} ${thing}${number === 1 ? '' : 's'}`;
}
