import { formatMoney } from '#payments/money.ts';
import { KeyLine } from '#ui/demo/key-line.tsx';
import { type BankConnection, NetworkFigure } from '#ui/demo/network-figure.tsx';
import { RecordStatus } from '#ui/demo/record-status.tsx';
import { type Journey, RequestLog } from '#ui/demo/request-log.tsx';
import { outcomeCopy } from './demo-copy.ts';
import type { NetworkState } from './faulty-network.ts';
import { countSent, keyOf, type RequestOutcome, type SentRequest } from './journal.ts';
import { countCharged, type Readings } from './use-readings.ts';

/** The requests, the shop's record, the bank's ledger, and the key they have in common. */
export function DemoReadings(props: {
  network: NetworkState;
  readings: Readings | undefined;
  nextKey: string | undefined;
}) {
  const { network, readings } = props;
  const record = readings?.record;
  return (
    <>
      <NetworkFigure
        journeys={network.requests.map(({ outcome }) => journeyOf(outcome))}
        cutUntil={network.cutUntil}
        bank={bankConnection(readings)}
        silentUntil={readings?.silentUntil}
        you={
          <>
            <Count of="clicks" count={network.clicks} thing="click" />
            <Count of="sent" count={countSent(network)} thing="request" />
          </>
        }
        shop={record ? <RecordStatus {...record} /> : 'no record'}
        provider={
          <>
            <Count of="charged" count={countCharged(readings)} thing="charge" />
            <span className="money block text-ok">{chargedAmounts(readings)}</span>
          </>
        }
      />
      <KeyLine idempotencyKey={keyOf(network, props.nextKey)} />
    </>
  );
}

function Count({ of, count, thing }: { of: string; count: number; thing: string }) {
  return (
    <span className="block tabular-nums">
      <span data-reading={of}>{count}</span> {count === 1 ? thing : `${thing}s`}
    </span>
  );
}

function chargedAmounts(readings: Readings | undefined): string {
  const charged = readings?.charges.filter(({ status }) => status === 'succeeded') ?? [];
  return charged.map(({ amount }) => formatMoney(amount)).join(' + ');
}

export function DemoLog({ requests }: { requests: readonly SentRequest[] }) {
  return (
    <div>
      <h3 className="mb-1 font-medium text-ink-faint text-sm">Every try</h3>
      <RequestLog
        requests={requests.map((request) => ({
          n: request.n,
          key: request.key,
          journey: journeyOf(request.outcome),
          text: outcomeCopy(request),
        }))}
      />
    </div>
  );
}

function journeyOf(outcome: RequestOutcome): Journey {
  switch (outcome.kind) {
    case 'waiting':
      return 'out';
    case 'responded':
      if (outcome.status >= 400) return 'refused';
      return outcome.code === 'pending' ? 'unsure' : 'back';
    case 'never_left':
      return 'stopped';
    case 'response_lost':
    case 'failed':
    case 'page_closed':
      return 'lost';
  }
}

function bankConnection(readings: Readings | undefined): BankConnection {
  if (readings?.silentUntil !== undefined) return 'silent';
  switch (readings?.record?.status) {
    case 'in_progress':
    case 'unknown':
      return 'busy';
    case 'completed':
      return 'done';
    default:
      return 'idle';
  }
}
