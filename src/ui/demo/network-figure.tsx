import { Landmark, type LucideIcon, MonitorSmartphone, Scissors, Store, VolumeX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Countdown } from './countdown.tsx';
import type { Journey } from './request-log.tsx';

/**
 * The connection between the shop and the bank. `idle`: no request was sent. `busy`: there is no response so far. `done`:
 * the bank has responded. `silent`: the demo keeps the bank from responding.
 */
export type BankConnection = 'idle' | 'busy' | 'done' | 'silent';

export interface NetworkFigureProps {
  readonly journeys: readonly Journey[];
  readonly cutUntil: number | undefined;
  readonly bank: BankConnection;
  readonly silentUntil: number | undefined;
  readonly you: ReactNode;
  readonly shop: ReactNode;
  readonly provider: ReactNode;
}

/** More lines do not fit between two stations; the log below lists all requests. */
const maxLines = 5;

/**
 * The path of a payment: one line from the page to the shop for each request, and one from the shop to the bank. The lines
 * are hidden from screen readers, which get the captions and the log.
 */
export function NetworkFigure(props: NetworkFigureProps) {
  return (
    <div className="grid grid-cols-[5.75rem_1fr_5.75rem_1fr_5.75rem] items-start">
      <Station icon={MonitorSmartphone} name="You">
        {props.you}
      </Station>
      <Connection faultUntil={props.cutUntil} icon={Scissors} colour="text-warn">
        {props.journeys.length === 0 && <Stroke style="border-line-strong border-dotted" />}
        {props.journeys.slice(-maxLines).map((journey, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other identity than its position
          <RequestStroke key={index} journey={journey} />
        ))}
      </Connection>
      <Station icon={Store} name="Shop">
        {props.shop}
      </Station>
      <Connection faultUntil={props.silentUntil} icon={VolumeX} colour="text-unknown">
        <Stroke style={bankStyles[props.bank]}>{props.bank === 'busy' && <MovingDot />}</Stroke>
      </Connection>
      <Station icon={Landmark} name="Bank">
        {props.provider}
      </Station>
    </div>
  );
}

function Station(props: { icon: LucideIcon; name: string; children: ReactNode }) {
  const { icon: Icon } = props;
  return (
    <div className="min-w-0 text-center">
      <span className="mx-auto grid size-14 place-items-center rounded-full border border-line-strong bg-canvas">
        <Icon className="size-6 text-ink-soft" aria-hidden="true" />
      </span>
      <p className="mt-1.5 font-semibold text-sm">{props.name}</p>
      <div className="min-h-10 text-[0.8125rem] text-ink-soft leading-5">{props.children}</div>
    </div>
  );
}

function Connection(props: {
  faultUntil: number | undefined;
  icon: LucideIcon;
  colour: string;
  children: ReactNode;
}) {
  const { icon: Icon, faultUntil } = props;
  return (
    <div className="relative -mx-4.5 px-1.5" aria-hidden="true">
      <div className="flex h-14 flex-col justify-center">{props.children}</div>
      {faultUntil !== undefined && (
        <p className={`flex items-center justify-center gap-1 font-medium text-xs ${props.colour}`}>
          <Icon className="size-4" />
          <Countdown until={faultUntil} />
        </p>
      )}
    </div>
  );
}

const bankStyles: Record<BankConnection, string> = {
  idle: 'border-line-strong border-dotted',
  busy: 'border-accent',
  done: 'border-ok',
  silent: 'border-unknown border-dashed',
};

function Stroke({ style, children }: { style: string; children?: ReactNode }) {
  return (
    <span className="relative flex h-2.75 items-center">
      <span className={`flex-1 border-t-2 ${style}`} />
      {children}
    </span>
  );
}

function MovingDot() {
  return (
    <span className="absolute inset-x-1">
      <span className="absolute -mt-1 -ml-1 size-2 animate-travel rounded-full bg-accent" />
    </span>
  );
}

function RequestStroke({ journey }: { journey: Journey }) {
  switch (journey) {
    case 'out':
      return (
        <Stroke style="border-accent">
          <MovingDot />
        </Stroke>
      );
    case 'back':
      return <Stroke style="border-ok" />;
    case 'unsure':
      return <Stroke style="border-unknown" />;
    case 'refused':
      return <Stroke style="border-line-strong" />;
    case 'lost':
      return (
        <Stroke style="border-warn">
          <Cross at="absolute left-1/2 -translate-x-1/2 text-warn" />
        </Stroke>
      );
    case 'stopped':
      return (
        <span className="flex h-2.75 items-center text-ink-faint">
          <span className="w-1/5 border-current border-t-2" />
          <Cross at="-ml-px" />
        </span>
      );
  }
}

function Cross({ at }: { at: string }) {
  return (
    <svg viewBox="0 0 10 10" className={`size-2 overflow-visible ${at}`} aria-hidden="true">
      <circle cx="5" cy="5" r="7" className="fill-surface" />
      <path d="M2 2l6 6M8 2L2 8" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
    </svg>
  );
}
