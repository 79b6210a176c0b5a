import type { ChartProps } from './chart.tsx';

/** The same numbers as a table. Steps without values are left out. */
export function ChartTable(
  props: ChartProps & { formatValue: (value: number) => string; stepCopy: (step: string) => string },
) {
  const rows = props.steps
    .map((step, index) => ({ step, values: props.series.map(({ values }) => values[index] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0));
  return (
    <details className="group mt-2 text-xs">
      <summary className="-mx-1 inline-flex min-h-11 items-center rounded-md px-1 text-ink-faint underline decoration-line-strong underline-offset-4 hover:text-ink pointer-fine:min-h-7">
        As a table
      </summary>
      <div className="max-h-56 overflow-auto rounded-lg border border-line">
        <table className="w-full tabular-nums">
          <caption className="sr-only">{props.title}</caption>
          <thead className="text-left text-ink-faint">
            <tr>
              <th scope="col" className="px-3 py-1.5 font-medium">
                Time
              </th>
              {props.series.map(({ name }) => (
                <th key={name} scope="col" className="px-3 py-1.5 text-right font-medium">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ step, values }) => (
              <tr key={step} className="border-line border-t">
                <th scope="row" className="whitespace-nowrap px-3 py-1.5 text-left font-normal">
                  {props.stepCopy(step)}
                </th>
                {values.map((value, index) => (
                  <td key={props.series[index]?.name} className="px-3 py-1.5 text-right">
                    {value === null ? '–' : props.formatValue(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
