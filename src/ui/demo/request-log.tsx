/**
 * How far a request got.
 *
 * - `out`: there is no response so far.
 * - `back`: there is a response. `unsure`: it says that the outcome is unknown. `refused`: it is an error.
 * - `lost`: the response was lost.
 * - `stopped`: the request never left.
 */
export type Journey = 'out' | 'back' | 'unsure' | 'refused' | 'lost' | 'stopped';

export interface LoggedRequest {
  readonly n: number;
  readonly key: string;
  readonly journey: Journey;
  readonly text: string;
}

/** The newest request is first. */
export function RequestLog({ requests }: { requests: readonly LoggedRequest[] }) {
  if (requests.length === 0) {
    return <p className="flex h-9 items-center text-ink-faint text-sm">None so far.</p>;
  }
  return (
    <ol reversed className="text-sm">
      {requests.toReversed().map((request) => (
        <li
          key={request.n}
          data-journey={request.journey}
          className="flex min-h-9 items-center gap-2.5 border-line border-b py-1 last:border-b-0"
        >
          <span className="w-4 shrink-0 text-right text-ink-faint tabular-nums">{request.n}</span>
          <JourneyLine journey={request.journey} />
          <span className="min-w-0 flex-1 leading-5">{request.text}</span>
          <code className="shrink-0 font-mono text-ink-faint text-xs">{request.key.slice(0, 8)}</code>
        </li>
      ))}
    </ol>
  );
}

const colours: Record<Journey, string> = {
  out: 'text-accent-ink',
  back: 'text-ok',
  unsure: 'text-unknown',
  refused: 'text-ink-faint',
  lost: 'text-warn',
  stopped: 'text-ink-faint',
};

/** An arrow from the page on the left to the shop on the right, and the response below it. */
function JourneyLine({ journey }: { journey: Journey }) {
  const responded = journey === 'back' || journey === 'unsure' || journey === 'refused';
  return (
    <svg viewBox="0 0 64 20" className={`h-5 w-16 shrink-0 ${colours[journey]}`} aria-hidden="true">
      <g fill="none" stroke="currentColor" strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round">
        <path d="M2 2v16M62 2v16" className="stroke-line-strong" />
        {journey === 'stopped' && <path d="M7 10h9M20.5 6.5l7 7M27.5 6.5l-7 7" />}
        {journey !== 'stopped' && <path d="M7 6h49M52.5 2.5L56 6l-3.5 3.5" />}
        {responded && <path d="M57 14H8M11.5 10.5L8 14l3.5 3.5" />}
        {journey === 'lost' && <path d="M57 14H40M28.5 10.5l7 7M35.5 10.5l-7 7" />}
      </g>
    </svg>
  );
}
