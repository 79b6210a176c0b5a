import { print } from '#run/terminal.ts';
import type { Results } from './results.ts';

/** Prints tables in Markdown, so that they can be pasted. */
export function printResults(results: Results): void {
  const { machine } = results;
  print(
    `\n${machine.cores} cores, load average ${machine.loadAverage.toFixed(1)}, Node ${machine.node}, PostgreSQL with fsync and ` +
      `synchronous_commit on; medians of ${machine.rounds} rounds of ${machine.seconds} s. Compare ratios within one run only.`,
  );
  printRates(results);
  printHttp(results);
  printGrowth(results);
  const { storm, memory, sandbox } = results;
  if (storm) {
    const others = `${storm.paid} got its response, ${storm.inProgress} a 409, ${storm.failed} an error`;
    print(
      `\nstorm: ${storm.callers} callers with one key: ${storm.charges} charge; ${others}; ${whole(storm.ms)} ms`,
    );
  }
  if (sandbox) {
    const { pairsPerSecond, p50Ms, p99Ms } = sandbox;
    print(
      `\nsandbox alone, 32 callers, webhooks on: ${whole(pairsPerSecond)} creates with confirms per second; ` +
        `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`,
    );
  }
  if (memory) {
    const { heapBeforeMb, heapAfterMb, rssAfterMb } = memory;
    print(
      `\nmemory after ${memory.payments} payments: heap ${heapAfterMb.toFixed(1)} MB (${heapBeforeMb.toFixed(1)} MB after the ` +
        `first thousand), resident ${whole(rssAfterMb)} MB`,
    );
  }
}

function printRates({ rates }: Results): void {
  if (rates.length === 0) return;
  const limit = rates.find(({ id }) => id === 'limit');
  const ofLimit = (value: number | undefined, of: number | undefined) =>
    value && of ? (value / of).toFixed(2) : '–';
  printTable(
    [
      'payments per second',
      '1 caller',
      '32 callers',
      'of the limit',
      'replays',
      'of the limit',
      'p50 / p99 ms',
      '±%',
    ],
    rates.map((row) => [
      row.label,
      whole(row.at1),
      whole(row.at32),
      `${ofLimit(row.at1, limit?.at1)} / ${ofLimit(row.at32, limit?.at32)}`,
      row.replay === undefined ? '–' : whole(row.replay),
      ofLimit(row.replay, limit?.replay),
      row.p50Ms === undefined ? '–' : `${row.p50Ms.toFixed(1)} / ${row.p99Ms?.toFixed(1)}`,
      whole(row.spreadPercent),
    ]),
  );
}

function printHttp({ http }: Results): void {
  if (!http) return;
  const servers = [
    ['Next', http.next],
    ['API process', http.api],
  ] as const;
  printTable(
    [
      'HTTP requests per second',
      'no-op',
      'replay',
      'of the no-op',
      'fresh, 32 callers',
      'fresh, 1 caller',
      'p50 ms',
    ],
    servers.map(([name, { noop, replay, freshAt32, freshAt1 }]) => [
      name,
      whole(noop.perSecond),
      whole(replay.perSecond),
      (replay.perSecond / noop.perSecond).toFixed(2),
      whole(freshAt32.perSecond),
      whole(freshAt1.perSecond),
      freshAt1.p50Ms.toFixed(1),
    ]),
  );
}

function printGrowth({ growth }: Results): void {
  const [smallest] = growth ?? [];
  if (!growth || !smallest) return;
  printTable(
    ['records in the table', 'claim p50 ms', 'replay p50 ms', 'claim, of the smallest'],
    growth.map(({ rows, claimP50Ms, replayP50Ms }) => [
      rows.toLocaleString('en'),
      claimP50Ms.toFixed(2),
      replayP50Ms.toFixed(2),
      (claimP50Ms / smallest.claimP50Ms).toFixed(2),
    ]),
  );
}

function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  print('');
  print(`| ${head.join(' | ')} |`);
  print(`| ${head.map((_, column) => (column === 0 ? '---' : '--:')).join(' | ')} |`);
  for (const row of rows) print(`| ${row.join(' | ')} |`);
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
