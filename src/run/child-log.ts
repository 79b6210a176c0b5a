import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import path from 'node:path';

// A child writes directly into its log file. With a pipe to the supervisor, the death of the supervisor would lose the
// child's last lines and end the child with EPIPE. The supervisor reads the file as it grows, to print its warnings.
export type ChildLog = { fd: number; file: string; flush(): void; close(): void };

const readEveryMs = 200;
const warn = 40;

// The log of the previous run is kept as <name>.previous.log.
export function keepPreviousLog(file: string): void {
  if (existsSync(file)) renameSync(file, file.replace(/\.log$/, '.previous.log'));
}

// The lines that are printed: pino's from "warn" upwards, and every line on stderr that is not pino's.
export function noteworthy(line: string, fromStderr: boolean): string | undefined {
  if (line.startsWith('{')) {
    try {
      const entry = JSON.parse(line) as { level?: number; msg?: string; err?: { message?: string } };
      if (typeof entry.level !== 'number') return fromStderr ? line : undefined;
      return entry.level >= warn ? [entry.msg, entry.err?.message].filter(Boolean).join(': ') : undefined;
    } catch {
      return fromStderr ? line : undefined;
    }
  }
  return fromStderr && line.trim() !== '' ? line : undefined;
}

export function openChildLog(file: string, fromStderr: boolean, onLine: (line: string) => void): ChildLog {
  mkdirSync(path.dirname(file), { recursive: true });
  const fd = openSync(file, 'a+', 0o600);
  let position = fstatSync(fd).size;
  let unfinished = '';
  const chunk = Buffer.alloc(64 * 1024);
  const flush = () => {
    // A log rotation copies the file and empties it, because the child has it open.
    if (fstatSync(fd).size < position) {
      position = 0;
      unfinished = '';
    }
    for (let read = readSync(fd, chunk, 0, chunk.length, position); read > 0; ) {
      position += read;
      const lines = (unfinished + chunk.toString('utf8', 0, read)).split('\n');
      unfinished = lines.pop() ?? '';
      for (const line of lines) {
        const note = noteworthy(line, fromStderr);
        if (note !== undefined) onLine(note);
      }
      read = readSync(fd, chunk, 0, chunk.length, position);
    }
  };
  const timer = setInterval(flush, readEveryMs).unref();
  const close = () => {
    clearInterval(timer);
    flush();
    closeSync(fd);
  };
  return { fd, file, flush, close };
}
