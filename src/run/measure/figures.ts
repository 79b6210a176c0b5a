import os from 'node:os';
import { print } from '#run/terminal.ts';

/** By nearest rank, so that the result is a measured value, not an interpolated one. */
export function percentile(values: readonly number[], rank: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((rank / 100) * sorted.length) - 1)] ?? Number.NaN;
}

export function spread(values: readonly number[], unit = 'ms'): string {
  const show = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
  const [p50, p99, max] = [percentile(values, 50), percentile(values, 99), percentile(values, 100)];
  return `p50 ${show(p50)}, p99 ${show(p99)}, max ${show(max)} (n = ${values.length})`;
}

/** Figures can be compared only together with the machine they were measured on. */
export function printMachine(): void {
  const [one = 0] = os.loadavg();
  print(
    `${os.cpus().length} cores, load average ${one.toFixed(1)}, Node ${process.version}, PostgreSQL with fsync on`,
  );
}

let missed = 0;

export function checkTarget(what: string, figure: string, met: boolean, target: string): void {
  if (!met) missed++;
  print(`${met ? 'met   ' : 'MISSED'}  ${what}: ${figure}; target ${target}`);
}

export function exitWithResult(): void {
  process.exitCode = missed > 0 ? 1 : 0;
}
