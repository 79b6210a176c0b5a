/** What an API key is for. A CHECK constraint has the same list. Reads are `read`; every operation names its own scope. */
export const apiKeyScopes = ['read', 'pay', 'refund'] as const;
export type ApiKeyScope = (typeof apiKeyScopes)[number];

/** Never longer than a year without a choice: a key that is no longer used should end by itself. */
export const defaultExpiryDays = 365;
