/**
 * Durations are stored as a histogram whose cells grow by half from one to the next. A percentile estimated from it is at
 * most half off, usually a tenth, for seconds as for days, and five minutes of a shop take a few rows.
 */
const smallestMs = 100;
const growth = 1.5;
/** Twenty days, which fits an integer column. By then an unknown operation is long in the operators' queue. */
const largestMs = 20 * 24 * 60 * 60 * 1_000;

const edges: readonly number[] = (() => {
  const list = [smallestMs];
  while ((list.at(-1) ?? 0) < largestMs)
    list.push(Math.min(largestMs, Math.ceil((list.at(-1) ?? 0) * growth)));
  return list;
})();

/** The upper edge of the cell that a duration falls into. */
export function cellOf(ms: number): number {
  return edges.find((edge) => ms <= edge) ?? edges.at(-1) ?? smallestMs;
}

export interface Cell {
  readonly leMs: number;
  readonly count: number;
}

/** The duration that this share did not exceed, interpolated linearly within a cell. */
export function percentileOf(cells: readonly Cell[], share: number): number | undefined {
  const total = cells.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const wanted = share * total;
  let before = 0;
  for (const { leMs, count } of cells.toSorted((one, other) => one.leMs - other.leMs)) {
    if (before + count >= wanted) {
      const from = edges[edges.indexOf(leMs) - 1] ?? 0;
      return from + (leMs - from) * ((wanted - before) / count);
    }
    before += count;
  }
  return undefined;
}
