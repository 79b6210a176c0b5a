import type { FaultAction } from '#faults/index.ts';
import { formatMoney } from '#payments/money.ts';
import type { LogEntry } from './log.ts';
import { type LaneName, ordinaryCard } from './scenario.ts';
import type { TraceEvent } from './trace.ts';

const faultTexts: Record<FaultAction, string> = {
  drop: 'The connection to the client is cut',
  kill: 'The server is killed (SIGKILL)',
  freeze: 'The server freezes (SIGSTOP)',
  lose_database: 'PostgreSQL ends all connections of the server',
};

/** What the lab's own log says, as arrows. Undefined: not drawn. */
export function drawEntry(entry: LogEntry, startMs: number, lane: LaneName): TraceEvent | undefined {
  const event = (
    from: TraceEvent['from'],
    to: TraceEvent['to'],
    kind: TraceEvent['kind'],
    text: string,
  ): TraceEvent => ({ atMs: entry.atMs - startMs, from, to, kind, text, times: 1 });
  switch (entry.what) {
    case 'sent': {
      const amount = formatMoney({ amountMinor: entry.amountMinor, currency: 'eur' });
      const key = lane === 'protected' ? `, key ${entry.key}` : '';
      const card = entry.card === ordinaryCard ? '' : `, ${entry.card}`;
      return event('client', 'app', 'request', `Pay ${amount}${key}${card}`);
    }
    case 'not_sent':
      return event(
        'client',
        'client',
        'lost',
        entry.why === 'network'
          ? 'The request never leaves the device'
          : 'The server does not accept connections',
      );
    case 'responded':
      return event('app', 'client', 'response', responseText(entry.status, entry.code, entry.replayed));
    case 'lost':
      return event(
        'app',
        'client',
        'lost',
        entry.why === 'timeout' ? 'No response in time' : 'The response is lost',
      );
    case 'read_status':
      return event('app', 'client', 'response', `Status: ${entry.status.replaceAll('_', ' ')}`);
    case 'struck': {
      const where = entry.fault.at === 'before_send' && entry.fault.action !== 'kill' ? 'client' : 'app';
      const text = where === 'client' ? 'The network is gone' : faultTexts[entry.fault.action];
      return event(where, where, 'fault', text);
    }
    case 'provider_responded':
      return event(
        'provider',
        'app',
        entry.lost ? 'lost' : 'response',
        entry.lost ? `No usable answer (${entry.result})` : entry.result.replaceAll('_', ' '),
      );
    case 'saved':
      return event('app', 'database', 'state', 'Stored as paid');
    case 'write_refused':
      return event('app', 'database', 'lost', 'Write refused: the record has moved on');
    case 'started':
      return event('app', 'app', 'note', 'The server is started again');
    case 'thawed':
      return event('app', 'app', 'note', 'The first server wakes up');
    case 'operator':
      return event('worker', 'worker', 'note', 'An operator asks the provider');
    case 'reaped':
      return event('worker', 'worker', 'note', 'The replay window is over');
    case 'received':
    case 'finished':
      return undefined;
  }
}

const codes: Record<string, string> = {
  succeeded: 'paid',
  declined: 'declined',
  unknown: 'outcome unknown, do not pay again',
  operation_unknown: 'outcome unknown, do not pay again',
  in_progress: 'in progress',
  idempotency_key_in_progress: 'already in progress',
  idempotency_key_reused: 'refused, the key belongs to another command',
  idempotency_key_expired: 'refused, the key has expired',
  payment_exists_for_reference: 'refused, there is a payment for this order',
  payment_canceled: 'not charged, the same key may pay again',
};

function responseText(status: number, code: string | undefined, replayed: boolean): string {
  const text =
    code === undefined ? (status === 402 ? 'declined' : '“please try again”') : (codes[code] ?? code);
  return `${status} ${text.replaceAll('_', ' ')}${replayed ? ' (replayed)' : ''}`;
}
