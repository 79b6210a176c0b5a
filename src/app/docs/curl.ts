/** Placeholders that the reader replaces. They are recognizable in an error message that quotes one. */
const apiKey = 'po_YOUR_API_KEY';
const idempotencyKey = '550e8400-e29b-41d4-a716-446655440000';

export function curlFor(request: {
  url: string;
  method: string;
  operation: { parameters: readonly { name: string; in: string }[] };
  body?: unknown;
}): string {
  const url = request.url.replace('{id}', placeholderFor(request.url));
  const hasKeyParameter = request.operation.parameters.some(
    (one) => one.in === 'query' && one.name === 'key',
  );
  const needsKey = request.operation.parameters.some((one) => one.name === 'Idempotency-Key');
  return [
    `curl ${hasKeyParameter ? `'${url}?key=${idempotencyKey}'` : url}`,
    `-H 'Authorization: Bearer ${apiKey}'`,
    needsKey && `-H 'Idempotency-Key: ${idempotencyKey}'`,
    request.body !== undefined && `-H 'Content-Type: application/json'`,
    request.body !== undefined && `-d '${bodyText(request.body)}'`,
  ]
    .filter((line) => line !== false)
    .join(' \\\n  ');
}

/** By the collection: `/payments/{id}` takes the id of a payment. */
function placeholderFor(url: string): string {
  const [, thing = ''] = /(\w+)s\/\{id\}$/.exec(url) ?? [];
  return `${thing.toUpperCase()}_ID`;
}

function bodyText(body: unknown): string {
  // The id must be that of a payment that the reader has made.
  const text = JSON.stringify(body, (name, value) => (name === 'paymentId' ? 'PAYMENT_ID' : value), 2);
  return text.replaceAll('\n', '\n  ');
}
