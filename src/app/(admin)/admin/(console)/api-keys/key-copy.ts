import type { RouterOutputs } from '#server/trpc/outputs.ts';

type Scope = RouterOutputs['apiKeys']['list'][number]['scopes'][number];

/** Label and description of each scope. */
export const scopeCopy = {
  read: { label: 'Read', may: 'Reads payments and operations.' },
  pay: { label: 'Pay', may: 'Takes payments.' },
  refund: { label: 'Refund', may: 'Returns money of payments.' },
} as const satisfies Record<Scope, { label: string; may: string }>;

export const scopeNames = Object.keys(scopeCopy) as Scope[];

/** In days; nothing is until it is revoked. */
export const expiryOptions = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Until revoked'],
] as const;
