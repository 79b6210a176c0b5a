/**
 * PostgreSQL refuses NUL and half of a surrogate pair. What an outcome is explained with may contain them, because it comes from
 * outside; the outcome would otherwise stay unknown for ever.
 */
export function storableText(text: string): string {
  return String(text).toWellFormed().replaceAll('\0', '\ufffd');
}

/** The same for evidence, of which a part that JSON has no form for must not prevent the verdict either. */
export function storableJson(value: unknown): string {
  try {
    return JSON.stringify(value, (_, field: unknown) => storableField(field));
  } catch (error) {
    return JSON.stringify({ notWritten: storableText(String(error)) });
  }
}

function storableField(field: unknown): unknown {
  if (typeof field === 'string') return storableText(field);
  if (typeof field === 'bigint') return String(field);
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
  return Object.fromEntries(Object.entries(field).map(([name, inner]) => [storableText(name), inner]));
}
