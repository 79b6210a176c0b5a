import { formatMoney } from '#payments/money.ts';
import { KeyLine } from '#ui/demo/key-line.tsx';
import { RecordStatus } from '#ui/demo/record-status.tsx';
import { type Journey, RequestLog } from '#ui/demo/request-log.tsx';
import { type BankWire, WireFigure } from '#ui/demo/network-figure.tsx';
import { countSent, type Fate, keyOf, type Story } from './journal.ts';
import type { LineState } from './faulty-network.ts';
import { fateWords } from './scene-copy.ts';
import { countCharged, type Readings } from './use-readings.ts';

/** What was sent, what the shop has on record, what the bank has in its ledger, and the key they are about. */
export function DemoReadings(props: {
  line: LineState;
  readings: Readings | undefined;
  nextKey: string | undefined;
}) {
  const { line, readings } = props;
  const record = readings?.record;
  return (
    <>
      <WireFigure
        journeys={line.requests.map(({ fate }) => journeyOf(fate))}
        cutUntil={line.cutUntil}
        bank={bankWire(readings)}
        silentUntil={readings?.silentUntil}
        you={
          <>
            <Count of="clicks" count={line.clicks} thing="click" />
            <Count of="sent" count={countSent(line)} thing="request" />
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
      <KeyLine attemptKey={keyOf(line, props.nextKey)} />
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

export function DemoLog({ story }: { story: Story }) {
  return (
    <div>
      <h3 className="mb-1 font-medium text-ink-faint text-sm">Every try</h3>
      <RequestLog
        requests={story.requests.map((request) => ({
          n: request.n,
          key: request.key,
          journey: journeyOf(request.fate),
          words: fateWords(request),
        }))}
      />
    </div>
  );
}

function journeyOf(fate: Fate): Journey {
  switch (fate.kind) {
    case 'waiting':
      return 'out';
    case 'answered':
      if (fate.status >= 400) return 'refused';
      return fate.said === 'pending' ? 'unsure' : 'back';
    case 'never_left':
      return 'stopped';
    case 'answer_lost':
    case 'failed':
    case 'left_behind':
      return 'lost';
  }
}

function bankWire(readings: Readings | undefined): BankWire {
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
