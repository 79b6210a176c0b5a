import type { Admissibility, Investigator } from '#payments/index.ts';
import type { Assertion } from '#payments/operations/copy.ts';

export interface AssessedAssertion {
  readonly assertion: Assertion;
  readonly admissibility: Admissibility;
}

/** What an operator may assert about an operation, given the provider's state. */
export function assess(
  { definition, assertions, admissibility }: Investigator,
  state: string,
): readonly AssessedAssertion[] {
  const row = admissibility[state];
  if (!row) throw new Error(`${definition.name}: the table of assertions has no row for ${state}.`);
  const [happened, didNot] = row;
  return [
    { assertion: assertions.happened, admissibility: happened },
    { assertion: assertions.didNot, admissibility: didNot },
  ];
}
