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

export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
