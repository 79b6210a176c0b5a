/**
 * Durations are kept as a histogram whose cells grow by half from one to the next: a percentile read from it is at
 * worst half off, as a rule a tenth, whether it is of seconds or of days, and a shop's five minutes are a few rows.
 */
const smallestMs = 100;
const growth = 1.5;
/** Twenty days, what an integer column holds: nothing stays unknown for longer without a person having seen it. */
const largestMs = 20 * 24 * 60 * 60 * 1_000;

const edges: readonly number[] = (() => {
  const list = [smallestMs];
  while ((list.at(-1) ?? 0) < largestMs)
    list.push(Math.min(largestMs, Math.ceil((list.at(-1) ?? 0) * growth)));
  return list;
})();

/** The upper edge of the cell a duration falls into. */
export function cellOf(ms: number): number {
  return edges.find((edge) => ms <= edge) ?? edges.at(-1) ?? smallestMs;
}

export interface Cell {
  readonly leMs: number;
  readonly count: number;
}

/** The duration that a share of all of them did not exceed, taken to be spread evenly within a cell. */
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
