export type Labels = Readonly<Record<string, string>>;

/** One spelling for one set of labels, so that it can be a map key: in alphabetical order, escaped as Prometheus requires. */
export function writeLabels(labels: Labels): string {
  return Object.entries(labels)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, value]) => `${name}="${escapeValue(value)}"`)
    .join(',');
}

function escapeValue(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Every combination of the listed values. */
export function combinations(labels: Readonly<Record<string, readonly string[]>> = {}): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}
