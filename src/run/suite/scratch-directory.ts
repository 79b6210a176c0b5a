import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The databases of the largest test, three installations and their browser profiles take less than half of this. */
const neededBytes = 6 * 1024 ** 3;
/** Of `statfs`, on Linux. */
const tmpfs = 0x01021994;

type Machine = {
  readonly platform: string;
  /** Set by the developer, who then decides where temporary files are. */
  readonly temporaryDirectory: string | undefined;
  readonly freeMemory: number;
  statMemoryFiles(): { readonly type: number; readonly free: number };
};

/**
 * Whether temporary files of the tests may be in memory. Test databases are created and dropped by the hundred, and need
 * not survive a power cut; on a disk, creating one takes several times as long.
 */
export function hasMemoryForFiles(machine: Machine): boolean {
  if (machine.platform !== 'linux' || machine.temporaryDirectory) return false;
  try {
    const { type, free } = machine.statMemoryFiles();
    // In a container this file system is usually small.
    return type === tmpfs && free >= neededBytes && machine.freeMemory >= neededBytes;
  } catch {
    return false;
  }
}

const memoryFiles = '/dev/shm';

/** Runs the work with a directory for temporary files in memory, or with the machine's own if there is not enough. */
export async function withScratchDirectory<T>(
  work: (environment: Record<string, string>) => Promise<T>,
): Promise<T> {
  const inMemory = hasMemoryForFiles({
    platform: process.platform,
    temporaryDirectory: process.env.TMPDIR,
    freeMemory: os.freemem(),
    statMemoryFiles() {
      const { type, bavail, bsize } = statfsSync(memoryFiles);
      return { type, free: bavail * bsize };
    },
  });
  if (!inMemory) return work({});
  const directory = mkdtempSync(path.join(memoryFiles, 'paidonce-tests-'));
  // When this runs as root, PostgreSQL runs under another account, which must be able to enter.
  chmodSync(directory, 0o711);
  try {
    return await work({ TMPDIR: directory });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
