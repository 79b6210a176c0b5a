import type { LabActor, LabEvent } from './lab-copy.ts';

export const rowHeight = 36;
/** Where the arrow is within its row. */
export const arrowAt = 25;

/** Colour and dash say the same: what is lost is dashed as well as coloured. */
const strokes: Record<LabEvent['kind'], string> = {
  request: 'stroke-ink-soft',
  response: 'stroke-ink-soft',
  lost: 'stroke-warn',
  fault: 'stroke-danger',
  state: 'stroke-accent',
  charge: 'stroke-ok',
  webhook: 'stroke-unknown',
  note: 'stroke-ink-faint',
};

const fills: Record<LabEvent['kind'], string> = {
  request: 'fill-ink-soft',
  response: 'fill-ink-soft',
  lost: 'fill-warn',
  fault: 'fill-danger',
  state: 'fill-accent-ink',
  charge: 'fill-ok',
  webhook: 'fill-unknown',
  note: 'fill-ink-soft',
};

/** One event: its text, and below it an arrow between two lifelines or a mark on one. */
export function DiagramRow(props: {
  event: LabEvent;
  x: (actor: LabActor) => number;
  y: number;
  width: number;
  current: boolean;
}) {
  const { event, y, width } = props;
  const [from, to] = [props.x(event.from), props.x(event.to)];
  const bold = event.kind === 'charge' || event.kind === 'fault';
  return (
    <g>
      {props.current && (
        <rect x={0} y={y + 1} width={width} height={rowHeight - 2} rx={8} className="fill-accent-soft" />
      )}
      <Label event={event} from={from} to={to} y={y + 14} width={width} bold={bold} current={props.current} />
      {from === to ? (
        <Mark event={event} x={from} y={y + arrowAt} />
      ) : (
        <Arrow event={event} from={from} to={to} y={y + arrowAt} />
      )}
    </g>
  );
}

/** About six pixels a character at this size. A label that would leave the picture is moved inside. */
function Label(props: {
  event: LabEvent;
  from: number;
  to: number;
  y: number;
  width: number;
  bold: boolean;
  current: boolean;
}) {
  const { event, from, to, width } = props;
  const text = event.times > 1 ? `${event.text} × ${event.times}` : event.text;
  const space = Math.max(12, Math.floor((width - 12) / 6.1));
  const short = text.length > space ? `${text.slice(0, space - 1)}…` : text;
  const half = (short.length * 6.1) / 2;
  const middle = Math.min(Math.max((from + to) / 2, half + 4), width - half - 4);
  return (
    <text
      x={middle}
      y={props.y}
      textAnchor="middle"
      className={`text-[0.6875rem] ${fills[event.kind]} ${props.bold ? 'font-semibold' : ''}`}
      stroke={props.current ? 'var(--accent-soft)' : 'var(--surface)'}
      strokeWidth={4}
      paintOrder="stroke"
    >
      {short}
    </text>
  );
}

function Arrow({ event, from, to, y }: { event: LabEvent; from: number; to: number; y: number }) {
  const direction = Math.sign(to - from);
  // What is lost does not arrive.
  const end = event.kind === 'lost' ? from + (to - from) * 0.55 : to - direction * 2;
  const stroke = `${strokes[event.kind]} fill-none`;
  return (
    <>
      <line
        x1={from}
        x2={end}
        y1={y}
        y2={y}
        className={stroke}
        strokeWidth={event.kind === 'charge' ? 2.5 : 1.5}
        strokeDasharray={event.kind === 'lost' || event.kind === 'response' ? '4 3' : undefined}
      />
      {event.kind === 'lost' ? (
        <Cross x={end} y={y} className={stroke} />
      ) : (
        <path
          d={`M${end - direction * 6} ${y - 4} L${end} ${y} L${end - direction * 6} ${y + 4}`}
          className={stroke}
          strokeWidth={1.5}
        />
      )}
    </>
  );
}

function Mark({ event, x, y }: { event: LabEvent; x: number; y: number }) {
  if (event.kind === 'fault' || event.kind === 'lost') {
    return <Cross x={x} y={y} className={`${strokes[event.kind]} fill-none`} />;
  }
  return <circle cx={x} cy={y} r={4} className={fills[event.kind]} />;
}

function Cross({ x, y, className }: { x: number; y: number; className: string }) {
  return (
    <path
      d={`M${x - 5} ${y - 5} L${x + 5} ${y + 5} M${x + 5} ${y - 5} L${x - 5} ${y + 5}`}
      className={className}
      strokeWidth={2.5}
      strokeLinecap="round"
    />
  );
}
