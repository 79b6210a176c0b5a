// An expected error. Its message is one sentence for the user of the command, and is printed without a stack.
export class PlainError extends Error {
  override name = 'PlainError';
  readonly exitCode: number = 1;
}

// The command was called in a way, or in a place, that it is not made for, so it did nothing. As with most tools, the code
// is 2: a script can distinguish it from a command that ran and found something broken.
export class UsageError extends PlainError {
  override readonly exitCode = 2;
}

// What only the owner of the machine can mend: a disk that is full, or that this account may not write.
const diskErrors = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

export function isDiskError(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall !== undefined && diskErrors.has(code ?? '');
}

export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
