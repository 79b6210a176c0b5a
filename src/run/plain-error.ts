// An expected error. Its message is one sentence for the user of the command, and is printed without a stack.
export class PlainError extends Error {
  override name = 'PlainError';
}

export function describe(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describe(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}
