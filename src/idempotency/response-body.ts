/** A response's body as text: JSON, or nothing for a handler that returned nothing. */
export function writeBody(body: unknown): string {
  if (body === undefined) return '';
  const text = JSON.stringify(body);
  if (text === undefined) throw new TypeError(`A ${typeof body} cannot be written as JSON.`);
  return text;
}

export function readBody(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
