import { formatMoney } from '#payments/money.ts';
import { Coin } from './coin.tsx';
import { type LabEvent, type LabLane, statusTone } from './lab-copy.ts';
import { SequenceDiagram } from './sequence-diagram.tsx';
import { TraceList } from './trace-list.tsx';

/** More coins say no more. */
const maxCoins = 8;

/** One lane: the provider's ledger, the record at this point of the playback, and the diagram. */
export function LanePanel(props: {
  name: string;
  explanation: string;
  lane: 'protected' | 'naive';
  view: LabLane | undefined;
  /** How many events the playback has reached. */
  shown: number;
}) {
  const { name, lane, view, shown } = props;
  const ledger = view?.charges ?? [];
  const events = view?.trace ?? [];
  const charges = ledger.slice(0, chargesAt(events, shown, ledger.length));
  const totalMinor = charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  return (
    <section
      aria-label={name}
      data-lane={lane}
      data-charges={ledger.length}
      className="flex min-w-0 flex-col rounded-3xl border border-line bg-surface p-4 shadow-card sm:p-6"
    >
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <h2 className="font-semibold text-xl tracking-tight">{name}</h2>
        <p className="money font-semibold text-xl">{euros(totalMinor)}</p>
      </div>
      <p className="mt-0.5 text-ink-soft text-sm">{props.explanation}</p>
      <h3 className="mt-4 font-medium text-ink-faint text-sm">
        In the bank’s ledger: {charges.length === 1 ? '1 charge' : `${charges.length} charges`}
      </h3>
      <ul className="mt-2 flex min-h-8 flex-wrap gap-2">
        {charges.slice(0, maxCoins).map((charge, index) => (
          <li key={charge.id}>
            <Coin amount={euros(charge.amountMinor)} surplus={index > 0} />
            <span className="sr-only">{index > 0 ? 'charged again' : 'charged'}</span>
          </li>
        ))}
        {charges.length > maxCoins && (
          <li className="self-center text-ink-soft text-sm">and {charges.length - maxCoins} more</li>
        )}
      </ul>
      <RecordLine lane={lane} events={events.slice(0, shown)} />
      <div className="mt-3">
        <SequenceDiagram label={name} events={events} shown={shown} />
      </div>
      {events.length > 0 && (
        <details className="mt-3">
          <summary className="inline-flex min-h-11 items-center rounded-lg font-medium text-ink-soft text-sm underline decoration-line-strong underline-offset-4 hover:text-ink">
            The same as text
          </summary>
          <TraceList events={events} label={`What happened: ${name}`} />
        </details>
      )}
    </section>
  );
}

/** How many charges the ledger had at this point of the playback. At the end, all of them. */
function chargesAt(events: readonly LabEvent[], shown: number, all: number): number {
  if (shown >= events.length) return all;
  const charged = events.slice(0, shown).filter(({ kind }) => kind === 'charge');
  return charged.reduce((sum, { times }) => sum + times, 0);
}

const tones = {
  ok: 'bg-ok-soft text-ok',
  unknown: 'bg-unknown-soft text-unknown',
  busy: 'bg-accent-soft text-accent-ink',
  plain: 'bg-sunken text-ink-soft',
};

/** The state of each key at this point of the playback. */
function RecordLine({ lane, events }: { lane: 'protected' | 'naive'; events: readonly LabEvent[] }) {
  const latest = new Map(events.flatMap(({ record }) => (record ? [[record.key, record] as const] : [])));
  return (
    <p className="mt-4 flex min-h-7 flex-wrap items-center gap-2 text-sm">
      {latest.size === 0 && (
        <span className="text-ink-faint">{lane === 'naive' ? 'No key, no record.' : 'No record yet.'}</span>
      )}
      {[...latest.values()].map((record) => (
        <span key={record.key} className={`rounded-md px-2 py-1 ${tones[statusTone(record.status)]}`}>
          Key {record.key}: {record.status.replaceAll('_', ' ')} · {record.recoveryPoint}
          {record.attempt > 1 && ` · attempt ${record.attempt}`}
        </span>
      ))}
    </p>
  );
}

function euros(amountMinor: number): string {
  return formatMoney({ amountMinor, currency: 'eur' });
}
