'use client';

import { useEffect, useState } from 'react';
import { Notice, type Tone } from '../notice.tsx';

export interface PayStatusProps {
  tone: Tone;
  title: string;
  body: string;
  reference?: string | undefined;
  resumesAt?: number | undefined;
}

/**
 * The one voice of the pay form. Its place is reserved, so that nothing moves under a finger when the words change. The
 * countdown is for the eyes only: a screen reader would read out every second of it.
 */
export function PayStatus({ tone, title, body, reference, resumesAt }: PayStatusProps) {
  return (
    <div className="grid min-h-42 sm:min-h-36">
      <div role="status" aria-live="polite" className="grid">
        <Notice tone={tone} title={title} className="items-center">
          <p>{body}</p>
          {reference && (
            <p className="mt-1">
              Reference to quote: <span className="font-mono text-ink">{reference}</span>
            </p>
          )}
          {resumesAt !== undefined && <Countdown until={resumesAt} />}
        </Notice>
      </div>
    </div>
  );
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((until - now) / 1000));
  return (
    <p aria-hidden="true" className="mt-1 tabular-nums">
      {seconds > 0 ? `Next try in ${seconds} s` : 'Trying now…'}
    </p>
  );
}
