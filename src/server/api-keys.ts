import { hashApiKey } from '#console/settings/api-key-token.ts';
import { StoreUnavailable } from '#idempotency/index.ts';
import { createBatch, createCachedReads, type Listener } from '#idempotency/stores/postgres.ts';
import type { PrismaClient } from '#prisma';

/** A trigger notifies it when a key is revoked, deleted or changed. */
const topic = 'api_key';
/**
 * A revoked key is refused as soon as the notification arrives; this bounds how long a lost one matters, and how long a key
 * outlives its end.
 */
const cacheMs = 5_000;
/** To the minute is exact enough for people. */
const recordEveryMs = 60_000;
/** The keys that were used in this time are recorded by one statement. */
const recordAfterMs = 1_000;

export interface ApiKeys {
  /** The key that a token belongs to, unless it was revoked or has expired. */
  find(token: string): Promise<ApiKey | undefined>;
  /** Writes when the keys were last used; never rejects. */
  flush(): Promise<void>;
}

interface ApiKey {
  readonly keyId: string;
  readonly tenantId: string;
  readonly scopes: readonly string[];
}

/** One per process, because it keeps what it has read for a few seconds. */
export function createApiKeys(parts: {
  readonly db: PrismaClient;
  readonly listener: Pick<Listener, 'subscribe' | 'isConnected'>;
}): ApiKeys {
  const { db } = parts;
  // Anyone can make up tokens, and no limit stands before this read: thousands that arrive at once share a few statements, and
  // leave the other connections to those who have a key.
  const reads = createBatch<string, ApiKey | undefined>({
    execute: (hashes) => readKeys(db, hashes),
    nameOf: (hash) => hash,
    tenantOf: () => '',
    isShared: () => true,
    isRowError: () => false,
    overloaded: () => new StoreUnavailable(new Error('Too many API keys wait for the database.')),
    maxStatements: 2,
  });
  const findByHash = createCachedReads<ApiKey>({
    ...{ listener: parts.listener, topic, cacheMs },
    read: (hash) => reads.run(hash),
  });
  const uses = createUses(db);
  return {
    async find(token) {
      const key = await findByHash(hashApiKey(token));
      if (key) uses.add(key.keyId);
      return key;
    },
    flush: uses.flush,
  };
}

/** Whether a key has expired is decided by the database's clock. */
async function readKeys(db: PrismaClient, hashes: readonly string[]): Promise<(ApiKey | undefined)[]> {
  const found = await db.$queryRaw<(ApiKey & { readonly hash: string })[]>`
    SELECT hash, id AS "keyId", tenant_id AS "tenantId", scopes FROM api_key
    WHERE hash = ANY (${hashes}::text[]) AND revoked_at IS NULL
      AND (expires_at IS NULL OR expires_at > clock_timestamp())`;
  const keys = new Map(found.map(({ hash, ...key }) => [hash, key]));
  return hashes.map((hash) => keys.get(hash));
}

/** When keys were last used. Recording it never delays a request: locked rows are skipped, and a failure is ignored. */
function createUses(db: PrismaClient): { add(keyId: string): void; flush(): Promise<void> } {
  const recordedAt = new Map<string, number>();
  let waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const ids = [...waiting];
    waiting = new Set();
    if (ids.length === 0) return;
    await db.$executeRaw`
      UPDATE api_key SET last_used_at = clock_timestamp()
      WHERE id IN (SELECT id FROM api_key WHERE id = ANY (${ids}::uuid[]) FOR UPDATE SKIP LOCKED)`.catch(
      () => undefined,
    );
  }

  return {
    /** The process's clock only decides how often it is written; what is written is the database's time. */
    add(keyId) {
      const now = performance.now();
      const last = recordedAt.get(keyId);
      if (last !== undefined && now - last < recordEveryMs) return;
      recordedAt.set(keyId, now);
      waiting.add(keyId);
      timer ??= setTimeout(() => void flush(), recordAfterMs).unref();
    },
    flush,
  };
}
