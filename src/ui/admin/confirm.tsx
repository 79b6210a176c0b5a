'use client';

import { useEffect, useRef, useState } from 'react';
import { Button } from '../button.tsx';

/** Asks in place before it acts: the question takes the focus, Escape and "Keep it" restore it. */
export function Confirm(props: {
  action: string;
  /** For screen readers, where several buttons have the same text. */
  label?: string;
  question: string;
  yes: string;
  no?: string;
  busy: boolean;
  onYes: () => void;
}) {
  const [asking, setAsking] = useState(false);
  const box = useRef<HTMLFieldSetElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const asked = useRef(false);
  useEffect(() => {
    if (asking) box.current?.focus();
    else if (asked.current) trigger.current?.focus();
    asked.current = asking;
  }, [asking]);

  if (!asking) {
    return (
      <Button
        ref={trigger}
        tone="quiet"
        size="small"
        aria-label={props.label}
        busy={props.busy}
        onClick={() => setAsking(true)}
      >
        {props.action}
      </Button>
    );
  }
  return (
    <fieldset
      ref={box}
      tabIndex={-1}
      className="rounded-xl bg-danger-soft px-3 py-2.5 outline-none focus-visible:ring-2 focus-visible:ring-danger"
      onKeyDown={(event) => event.key === 'Escape' && setAsking(false)}
    >
      <legend className="float-left mb-2 w-full text-danger text-sm">{props.question}</legend>
      <div className="clear-both flex flex-wrap gap-2">
        <Button tone="secondary" size="small" busy={props.busy} onClick={props.onYes}>
          {props.yes}
        </Button>
        <Button tone="quiet" size="small" onClick={() => setAsking(false)}>
          {props.no ?? 'Keep it'}
        </Button>
      </div>
    </fieldset>
  );
}
