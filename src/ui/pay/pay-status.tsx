'use client';

import { Notice, type Tone } from '../notice.tsx';
import { useSecondsUntil } from '../use-clock-from.ts';

/** How many tries there were, of how many, and when the next one is sent. */
export interface Pace {
  readonly tries: number;
  readonly of: number;
  readonly resumesAt?: number | undefined;
}

export interface PayStatusProps {
  tone: Tone;
  title: string;
  body: string;
  reference?: string | undefined;
  /** More space is reserved, for texts that also promise an e-mail. */
  tall?: boolean;
  pace?: Pace | undefined;
  /** JavaScript has not run yet. If that takes long, the page says why its button does nothing, and how to load it again. */
  loading?: boolean;
}

/**
 * The status of the pay form. Its space is reserved, so that the button does not move when the text changes. The countdown
 * is hidden from screen readers, which would announce every second.
 */
export function PayStatus({ tone, title, body, reference, pace, tall, loading }: PayStatusProps) {
  return (
    <div className={`relative grid ${tall ? 'min-h-62 sm:min-h-54' : 'min-h-46 sm:min-h-42'}`}>
      <div role="status" aria-live="polite" aria-atomic="true" className="grid items-start">
        <Notice tone={tone} title={title} className="items-center">
          <p>{body}</p>
          {reference && (
            <p className="mt-1">
              Reference to quote: <span className="whitespace-nowrap font-mono text-ink">{reference}</span>
            </p>
          )}
          {pace && <PaceLine {...pace} />}
        </Notice>
      </div>
      {loading && (
        <p
          aria-live="polite"
          className="appear-late absolute inset-x-4 bottom-1 text-center text-ink-soft text-sm"
        >
          This page is still loading. Pay works as soon as it has.{' '}
          {/* Shown by the style sheet: what is missing may be a script. */}
          <span className="appear-very-late">
            A part of it may be lost.{' '}
            <a
              href="?"
              className="inline-flex min-h-6 items-center underline underline-offset-4 pointer-coarse:min-h-11"
            >
              Load it again
            </a>
          </span>
        </p>
      )}
    </div>
  );
}

function PaceLine({ tries, of, resumesAt }: Pace) {
  const seconds = useSecondsUntil(resumesAt);
  return (
    <p aria-hidden="true" className="mt-1 tabular-nums">
      {seconds > 0 ? `Try ${tries} of ${of} is over. Next in ${seconds} s` : `Try ${tries} of ${of}…`}
    </p>
  );
}
