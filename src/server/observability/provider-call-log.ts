import type { ProviderCall } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import type { Logger } from './log.ts';

/** Soon enough for a reader of the page, and at most four writes a second in a busy process. */
const flushMs = 250;
/** Bounds the memory used while the database is unreachable. */
const maxWaiting = 2_000;

export interface ProviderCallLog {
  /** Returns at once. */
  onCall(call: ProviderCall): void;
  /** Writes what is waiting; never rejects. */
  flush(): Promise<void>;
}

/**
 * Keeps the provider's calls for the operation's timeline, many in one statement and never on a payment's path. A process
 * that is killed loses the last quarter of a second of it: the recovery points, which are committed before each call, still
 * say how far it got, and no decision is based on this log.
 */
export function createProviderCallLog(db: PrismaClient, log: Logger): ProviderCallLog {
  let waiting: ProviderCall[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) writing = writing.then(() => write(calls));
    return writing;
  }

  async function write(calls: readonly ProviderCall[]): Promise<void> {
    const now = performance.now();
    const rows = calls.map((call) => ({
      tenant_id: call.tenantId,
      operation_id: call.operationId,
      call: call.call,
      ago_ms: now - call.startedMs,
      duration_ms: Math.round(call.durationMs),
      outcome: call.outcome,
      code: call.code ?? null,
      request_id: call.requestId ?? null,
    }));
    // Calls without a record, such as those of the lab's unprotected lane, belong to no operation's timeline.
    await db.$executeRaw`
      INSERT INTO provider_call (tenant_id, operation_id, call, started_at, duration_ms, outcome, code, request_id)
      SELECT r.tenant_id, r.id, c.call, clock_timestamp() - c.ago_ms * interval '1 millisecond', c.duration_ms,
        c.outcome, c.code, c.request_id
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS c(tenant_id text, operation_id uuid, call text,
        ago_ms float8, duration_ms int, outcome text, code text, request_id text)
      JOIN operation r ON r.tenant_id = c.tenant_id AND r.id = c.operation_id`.catch((error: unknown) =>
      log.warn({ err: error, lost: calls.length }, 'provider calls not logged'),
    );
  }

  return {
    onCall(call) {
      if (waiting.length >= maxWaiting) waiting.shift();
      waiting.push(call);
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}
