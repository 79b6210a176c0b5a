import { dim, green, say, showStatus } from './terminal.ts';

const active = new Set<string>();

function showActive(): void {
  showStatus(active.size === 0 ? '' : `  … ${[...active].join(', ')}`);
}

// Steps overlap, so each is reported in one line when it is done. `remark` adds what was special about this time.
export async function step<T>(
  name: string,
  work: (remark: (text: string) => void) => Promise<T>,
): Promise<T> {
  const startedAt = performance.now();
  let special = '';
  active.add(name);
  showActive();
  try {
    const result = await work((text) => {
      special = text;
    });
    const seconds = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    active.delete(name);
    showActive();
    say(
      `${green('✓')} ${name.padEnd(12)} ${dim(`${seconds.padStart(6)}${special === '' ? '' : `  ${special}`}`)}`,
    );
    return result;
  } finally {
    active.delete(name);
    showActive();
  }
}
