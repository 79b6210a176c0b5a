import type { Money } from '#payments/money.ts';
import { useFormatMoney } from '#ui/amount.tsx';
import { KeyLine } from '#ui/demo/key-line.tsx';
import { type BankConnection, NetworkFigure } from '#ui/demo/network-figure.tsx';
import { RecordStatus } from '#ui/demo/record-status.tsx';
import { type Journey, RequestLog } from '#ui/demo/request-log.tsx';
import { outcomeCopy } from './demo-copy.ts';
import type { NetworkState } from './faulty-network.ts';
import { countSent, keyOf, type RequestOutcome, type SentRequest } from './journal.ts';
import { chargesOf, type Readings } from './use-readings.ts';

interface Shown {
  readonly network: NetworkState;
  readonly readings: Readings | undefined;
}

/** The requests, the shop's record, the bank's ledger, and the key they have in common. */
export function DemoReadings({ nextKey, ...shown }: Shown & { nextKey: string | undefined }) {
  return (
    <>
      <DemoFigure {...shown} />
      <KeyLine idempotencyKey={keyOf(shown.network, nextKey)} />
    </>
  );
}

/** On a phone the form and the bar do not fit on the screen together, so the figure is shown below the form meanwhile. */
export function FigureBelowForm(shown: Shown) {
  return (
    <div
      aria-hidden="true"
      data-figure-below-form
      className="fixed inset-x-0 bottom-0 z-20 border-line border-t bg-surface px-4 pt-3 pb-4 shadow-card sm:px-8 lg:hidden"
    >
      <div className="mx-auto max-w-md">
        <DemoFigure {...shown} copy />
      </div>
    </div>
  );
}

/** `copy`: a second one on the page, whose numbers are not the ones that tests read. */
function DemoFigure({ network, readings, copy = false }: Shown & { copy?: boolean }) {
  const record = readings?.record;
  const format = useFormatMoney();
  return (
    <NetworkFigure
      journeys={network.requests.map(({ outcome }) => journeyOf(outcome))}
      cutUntil={network.cutUntil}
      bank={bankConnection(readings)}
      silentUntil={readings?.silentUntil}
      you={
        <>
          <Count of={copy ? undefined : 'clicks'} count={network.clicks} thing="click" />
          <Count of={copy ? undefined : 'sent'} count={countSent(network)} thing="request" />
        </>
      }
      shop={record ? <RecordStatus {...record} copy={copy} /> : 'no record'}
      provider={
        <>
          <Count of={copy ? undefined : 'charged'} count={chargesOf(readings).length} thing="charge" />
          <span className="money block text-ok">{chargedAmounts(readings, format)}</span>
        </>
      }
    />
  );
}

function Count({ of, count, thing }: { of: string | undefined; count: number; thing: string }) {
  return (
    <span className="block tabular-nums">
      <span data-reading={of}>{count}</span> {count === 1 ? thing : `${thing}s`}
    </span>
  );
}

function chargedAmounts(readings: Readings | undefined, format: (money: Money) => string): string {
  return chargesOf(readings)
    .map(({ amount }) => format(amount))
    .join(' + ');
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
