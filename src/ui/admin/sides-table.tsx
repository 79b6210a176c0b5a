import { Equal, EqualNot } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { ownStateCopy, providerStateCopy } from './assertion-copy.ts';
import { TableHead } from './data-table.tsx';
import { When } from './when.tsx';

type Side = NonNullable<NonNullable<RouterOutputs['operation']['examine']>['sides']>[number];

/** Our record beside the provider's, row by row. A difference is marked by colour, by an icon and by text. */
export function SidesTable({ sides, operation }: { sides: readonly Side[]; operation: string }) {
  return (
    <section
      aria-label="Our record beside the provider’s"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative overflow-x-auto rounded-2xl border border-line bg-surface shadow-card"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">Our record beside the provider’s</caption>
        <TableHead headings={['Fact', 'Our record', 'The provider’s record', 'Agree?']} />
        <tbody>
          {sides.map((side) => (
            <tr
              key={side.name}
              className={`border-line border-b last:border-b-0 ${side.differs ? 'bg-unknown-soft' : ''}`}
            >
              <th
                scope="row"
                className="whitespace-nowrap px-4 py-2.5 pl-5 text-left font-normal text-ink-soft"
              >
                {side.name}
              </th>
              <td className="px-4 py-2.5">
                <Value
                  kind={side.kind}
                  value={side.ours}
                  stateCopy={(state) => ownStateCopy(state, operation)}
                />
              </td>
              <td className="px-4 py-2.5">
                <Value
                  kind={side.kind}
                  value={side.theirs}
                  stateCopy={(state) => providerStateCopy(state, operation)}
                />
              </td>
              <td className="whitespace-nowrap px-4 py-2.5 pr-5">
                {side.differs ? (
                  <span className="inline-flex items-center gap-1.5 font-medium text-unknown">
                    <EqualNot className="size-4" aria-hidden="true" />
                    Differs
                  </span>
                ) : (
                  <span className="inline-flex items-center gap-1.5 text-ink-faint">
                    <Equal className="size-4" aria-hidden="true" />
                    <span className="sr-only">Agrees</span>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Value(props: { kind: Side['kind']; value: string | null; stateCopy: (state: string) => string }) {
  const { kind, value } = props;
  if (value === null) return <span className="text-ink-faint">–</span>;
  if (kind === 'time') return <When at={value} />;
  if (kind === 'code') return <span className="break-all font-mono text-[0.8125rem]">{value}</span>;
  return kind === 'state' ? props.stateCopy(value) : value;
}
