import { dim, green, print, showStatus } from './terminal.ts';

const active = new Set<string>();

function showActive(): void {
  showStatus(active.size === 0 ? '' : `  … ${[...active].join(', ')}`);
}

// Steps overlap, so each is printed in one line when it is done. `remark` adds a detail to that line.
export async function step<T>(
  name: string,
  work: (remark: (text: string) => void) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let detail = '';
  active.add(name);
  showActive();
  try {
    const result = await work((text) => {
      detail = text;
    });
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    active.delete(name);
    showActive();
    print(
      `${green('✓')} ${name.padEnd(12)} ${dim(`${seconds.padStart(6)}${detail === '' ? '' : `  ${detail}`}`)}`,
    );
    return result;
  } finally {
    active.delete(name);
    showActive();
  }
}
