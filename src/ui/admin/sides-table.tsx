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
      <table className="w-full text-sm max-sm:block">
        <caption className="sr-only">Our record beside the provider’s</caption>
        <TableHead
          headings={['Fact', 'Our record', 'The provider’s record', 'Agree?']}
          className="max-sm:sr-only"
        />
        <tbody className="max-sm:block">
          {differencesFirst(sides).map((side) => (
            <tr
              key={side.name}
              className={`border-line border-b last:border-b-0 max-sm:grid max-sm:grid-cols-[1fr_auto] max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-5 max-sm:py-3.5 ${side.differs ? 'bg-unknown-soft' : ''}`}
            >
              <th
                scope="row"
                className="whitespace-nowrap text-left font-normal text-ink-soft sm:px-4 sm:py-2.5 sm:pl-5"
              >
                {side.name}
              </th>
              <td className="min-w-0 max-sm:order-1 max-sm:col-span-2 max-sm:flex sm:px-4 sm:py-2.5">
                <SideName>Ours</SideName>
                <Value
                  kind={side.kind}
                  value={side.ours}
                  stateCopy={(state) => ownStateCopy(state, operation)}
                />
              </td>
              <td className="min-w-0 max-sm:order-2 max-sm:col-span-2 max-sm:flex sm:px-4 sm:py-2.5">
                <SideName>Theirs</SideName>
                <Value
                  kind={side.kind}
                  value={side.theirs}
                  stateCopy={(state) => providerStateCopy(state, operation)}
                />
              </td>
              <td className="whitespace-nowrap sm:px-4 sm:py-2.5 sm:pr-5">
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

/** What has to be explained comes first; the rest keeps its order. */
function differencesFirst(sides: readonly Side[]): readonly Side[] {
  return [...sides.filter(({ differs }) => differs), ...sides.filter(({ differs }) => !differs)];
}

/** On a phone each fact is a card, without the headings of the columns. */
function SideName({ children }: { children: string }) {
  return <span className="mr-2 w-12 shrink-0 text-ink-faint text-xs leading-5 sm:hidden">{children}</span>;
}

function Value(props: { kind: Side['kind']; value: string | null; stateCopy: (state: string) => string }) {
  const { kind, value } = props;
  if (value === null) return <span className="text-ink-faint">–</span>;
  if (kind === 'time') return <When at={value} />;
  if (kind === 'code') return <span className="break-all font-mono text-[0.8125rem]">{value}</span>;
  return kind === 'state' ? props.stateCopy(value) : value;
}
