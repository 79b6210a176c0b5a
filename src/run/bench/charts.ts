import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Bar, barChart } from './chart.ts';
import type { Results } from './results.ts';

/** The charts of the README, for what was measured. Returns their files. */
export function writeCharts({ rates, http }: Results, directory: string): string[] {
  mkdirSync(directory, { recursive: true });
  const files: string[] = [];
  const write = (name: string, svg: string) => {
    const file = path.join(directory, name);
    writeFileSync(file, svg);
    files.push(file);
  };
  if (rates.length > 0) {
    const bars = rates.map(({ id, label, at32 }): Bar => ({ label, value: at32, ours: isOurs(id) }));
    write('bench-payments.svg', barChart('Payments with 32 callers', 'per second', bars));
  }
  if (http) {
    const bars: Bar[] = [
      { label: 'Next: no-op route', value: http.next.noop.perSecond, ours: false },
      { label: 'Next: replay', value: http.next.replay.perSecond, ours: true },
      { label: 'API process: no-op route', value: http.api.noop.perSecond, ours: false },
      { label: 'API process: replay', value: http.api.replay.perSecond, ours: true },
    ];
    write('bench-http.svg', barChart('HTTP with 32 callers', 'requests per second', bars));
  }
  return files;
}

function isOurs(id: string): boolean {
  return id.startsWith('engine') || id === 'payment';
}
