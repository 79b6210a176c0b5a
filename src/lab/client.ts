import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ArmedFault, type Fault } from '#faults/index.ts';
import { connectionHeader } from './lane/messages.ts';
import type { LaneServers } from './lane-servers.ts';
import type { ClientEvent, LogEntry } from './log.ts';
import type { KeyName, LaneName } from './scenario.ts';
import type { Seeded } from './seed.ts';

export interface ClientParts {
  readonly lane: LaneName;
  readonly servers: LaneServers;
  readonly fault: Fault | undefined;
  readonly seeded: Seeded;
  readonly apiKey: string;
  /** Of the app, whose HTTP API says what became of an operation. */
  readonly appUrl: string;
  readonly signal: AbortSignal;
  log(entry: LogEntry): void;
}

export interface PayRequest {
  readonly caller: number;
  readonly key: KeyName;
  /** The key itself, and what is paid. */
  readonly idempotencyKey: string;
  readonly command: { amountMinor: number; currency: 'eur'; paymentMethod: string; reference: string };
}

export type Sent =
  | { readonly kind: 'not_sent' | 'lost' }
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly code: string | undefined;
      readonly operationId: string | undefined;
      readonly paid: boolean;
      readonly retryAfterMs: number;
    };

/** How long a client waits for a response. A server that freezes is given up earlier, so that the run does not take long. */
const timeoutMs = { normal: 10_000, frozen: 1_500 };

const responseBody = z.object({
  code: z.string().optional(),
  operationId: z.string().optional(),
  status: z.union([z.string(), z.number()]).optional(),
});

/** Sends payments to one lane over HTTP, and logs what it sent and got. */
export function createClient(parts: ClientParts) {
  const { lane, servers, fault, signal } = parts;
  const armed = new ArmedFault();
  armed.arm(fault);
  const path = lane === 'protected' ? '/api/v1/payments' : '/naive/payments';

  type Event = ClientEvent extends infer One
    ? One extends ClientEvent
      ? Omit<One, 'atMs' | 'caller' | 'key'>
      : never
    : never;
  function log({ caller, key }: PayRequest, event: Event): void {
    parts.log({ atMs: Date.now(), caller, key, ...event } as ClientEvent);
  }

  /** One request, without a retry. */
  async function send(request: PayRequest): Promise<Sent> {
    const id = randomUUID();
    const connection = servers.connect(id);
    const struck = armed.take('before_send');
    if (struck) {
      if (struck.action === 'kill') await servers.kill();
      else connection.cut();
      parts.log({ atMs: Date.now(), what: 'struck', fault: struck });
    }
    const url = servers.url();
    if (url === undefined) return refused(request);
    const { amountMinor, paymentMethod } = request.command;
    if (!connection.isCut) log(request, { what: 'sent', amountMinor, card: paymentMethod });
    const timeout = AbortSignal.timeout(fault?.action === 'freeze' ? timeoutMs.frozen : timeoutMs.normal);
    try {
      const response = await connection.send(fetch, `${url}${path}`, {
        method: 'POST',
        headers: {
          [connectionHeader]: id,
          Authorization: `Bearer ${parts.apiKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': request.idempotencyKey,
        },
        body: JSON.stringify(request.command),
        signal: AbortSignal.any([signal, timeout]),
      });
      return await readResponse(request, response);
    } catch (error) {
      signal.throwIfAborted();
      // The lab learns a moment later than the client that a server has ended.
      if (isRefused(error)) return refused(request);
      if (!connection.hasSent) {
        log(request, { what: 'not_sent', why: 'network' });
        return { kind: 'not_sent' };
      }
      log(request, { what: 'lost', why: timeout.aborted ? 'timeout' : 'connection' });
      return { kind: 'lost' };
    }
  }

  async function refused(request: PayRequest): Promise<Sent> {
    log(request, { what: 'not_sent', why: 'refused' });
    await servers.untilUp();
    return { kind: 'not_sent' };
  }

  async function readResponse(request: PayRequest, response: Response): Promise<Sent> {
    const body = responseBody.safeParse(await response.json()).data ?? {};
    const replayed = response.headers.get('idempotent-replayed') === 'true';
    const paid = response.status === 201 && body.status === 'succeeded';
    const code =
      body.code ?? (response.status === 201 || response.status === 202 ? String(body.status) : undefined);
    log(request, { what: 'responded', status: response.status, code, replayed });
    return {
      kind: 'responded',
      status: response.status,
      code: body.code,
      operationId: body.operationId,
      paid,
      retryAfterMs: Number(response.headers.get('retry-after') ?? 0) * 1000,
    };
  }

  /** Reads the operation's status from the app until it is no longer unknown. */
  async function awaitOutcome(request: PayRequest, operationId: string): Promise<string> {
    for (;;) {
      const response = await fetch(`${parts.appUrl}/api/v1/operations/${operationId}`, {
        headers: { Authorization: `Bearer ${parts.apiKey}` },
        signal,
      });
      const status = String(responseBody.safeParse(await response.json()).data?.status ?? 'none');
      if (status !== 'unknown' && status !== 'in_progress') {
        log(request, { what: 'read_status', status });
        return status;
      }
      await pause(300);
    }
  }

  function pause(aboutMs: number): Promise<void> {
    return delay(parts.seeded.pauseMs(aboutMs), undefined, { signal });
  }

  return { send, awaitOutcome, pause };
}

export type Client = ReturnType<typeof createClient>;

/** No process listens, so nothing was sent. */
function isRefused(error: unknown): boolean {
  return (
    error instanceof TypeError && (error.cause as { code?: unknown } | undefined)?.code === 'ECONNREFUSED'
  );
}
