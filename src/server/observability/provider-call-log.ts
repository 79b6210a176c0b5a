import type { ProviderCall } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import type { Logger } from './log.ts';

/** Soon enough for whoever looks at the page, rarely enough that a busy shop writes four times a second at most. */
const flushMs = 250;
/** A database that is gone for long must not become our memory's problem. */
const maxWaiting = 2_000;

export interface ProviderCallLog {
  /** Returns at once. */
  told(call: ProviderCall): void;
  /** Writes what is waiting; never rejects. */
  flush(): Promise<void>;
}

/**
 * Keeps the provider's calls for the operation's timeline, many in one statement and never on a payment's path. A process
 * that is killed takes the last quarter of a second of it along: the recovery points, which are committed before each
 * call, still tell how far it got, and nothing is ever decided by this log.
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
      operation_id: call.operationId,
      call: call.call,
      ago_ms: now - call.startedMs,
      duration_ms: Math.round(call.durationMs),
      outcome: call.outcome,
      code: call.code ?? null,
      request_id: call.requestId ?? null,
    }));
    // Calls about no record of ours, such as the lab's unprotected lane, are nobody's history.
    await db.$executeRaw`
      INSERT INTO provider_call (operation_id, tenant_id, call, started_at, duration_ms, outcome, code, request_id)
      SELECT r.id, r.tenant_id, c.call, clock_timestamp() - c.ago_ms * interval '1 millisecond', c.duration_ms,
        c.outcome, c.code, c.request_id
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS c(operation_id uuid, call text, ago_ms float8,
        duration_ms int, outcome text, code text, request_id text)
      JOIN idempotency_record r ON r.id = c.operation_id`.catch((error: unknown) =>
      log.warn({ err: error, lost: calls.length }, 'provider calls could not be noted'),
    );
  }

  return {
    told(call) {
      if (waiting.length >= maxWaiting) waiting.shift();
      waiting.push(call);
      timer ??= setTimeout(() => void flush(), flushMs).unref();
    },
    flush,
  };
}
